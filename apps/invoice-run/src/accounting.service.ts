import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { absent, Durable, found, Idempotent, InjectProvider, type Reconciled, Throttled } from 'nestjs-sluice';
import { firstValueFrom } from 'rxjs';
import type { Timesheet } from './timesheets.js';

export interface CreatedInvoice {
  readonly id: string;
  readonly reference: string;
  readonly timesSent: number;
}

/** The client of the accounting system: plain Axios calls; the decorators see to the rest. */
@Injectable()
@Throttled('accounting')
export class AccountingService {
  constructor(@InjectProvider('accounting') private readonly http: HttpService) {}

  async findClient(clientId: string): Promise<{ id: string }> {
    return (await firstValueFrom(this.http.get('/clients', { params: { reference: clientId } }))).data;
  }

  @Durable({ name: 'createInvoice' })
  @Idempotent({ key: (sheet: Timesheet) => sheet.id, reconcile: 'findByReference', onUnknown: 'wait' })
  async createInvoice(sheet: Timesheet): Promise<CreatedInvoice> {
    const client = await this.findClient(sheet.clientId);
    const body = { clientId: client.id, reference: sheet.id, hours: sheet.hours };
    return (await firstValueFrom(this.http.post('/invoices', body))).data;
  }

  /** A create got no answer, or its process was killed: the invoice is looked up by its reference. */
  async findByReference(sheet: Timesheet): Promise<Reconciled<CreatedInvoice>> {
    const { data } = await firstValueFrom(this.http.get('/invoices', { params: { reference: sheet.id } }));
    const [invoice] = data as CreatedInvoice[];
    return invoice === undefined ? absent() : found(invoice);
  }

  @Durable({ name: 'sendInvoice' })
  @Idempotent({ key: (invoiceId: string) => invoiceId, reconcile: 'findSent', onUnknown: 'wait' })
  async sendInvoice(invoiceId: string): Promise<void> {
    await firstValueFrom(this.http.post(`/invoices/${invoiceId}/send`));
  }

  async findSent(invoiceId: string): Promise<Reconciled<void>> {
    const { data } = await firstValueFrom(this.http.get(`/invoices/${invoiceId}`));
    return (data as CreatedInvoice).timesSent > 0 ? found(undefined) : absent();
  }
}
