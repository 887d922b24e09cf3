import { Injectable } from '@nestjs/common';
import { isSluiceError, Operations, type SluiceErrorCode } from 'nestjs-sluice';
import { AccountingService } from './accounting.service.js';
import type { Timesheet } from './timesheets.js';

/** A timesheet that was not invoiced. */
export interface Failure {
  readonly timesheet: string;
  /** In the provider's words, where it has some. */
  readonly reason: string;
}

/** In progress: this process stood still, and another has taken it over. */
const GOES_ON: ReadonlySet<SluiceErrorCode> = new Set<SluiceErrorCode>(['DEFERRED', 'OPERATION_IN_PROGRESS']);

/** Nobody waits for a batch run: it goes on for as long as the accounting system takes. */
const BATCH_WAIT = '24h';

/** The Friday run: per timesheet create the invoice, for the client that is looked up, and send it. Run again after a crash, it goes on where it was. */
@Injectable()
export class InvoiceRun {
  constructor(
    private readonly accounting: AccountingService,
    private readonly operations: Operations,
  ) {}

  async run(sheets: readonly Timesheet[]): Promise<Failure[]> {
    const failures: Failure[] = [];
    await Promise.all(
      sheets.map((sheet) =>
        this.invoice(sheet).catch((error: unknown) => {
          failures.push({ timesheet: sheet.id, reason: reasonOf(error) });
        }),
      ),
    );
    return failures;
  }

  private async invoice(sheet: Timesheet): Promise<void> {
    const { id } = await this.finished(() => this.accounting.createInvoice(sheet));
    await this.finished(() => this.accounting.sendInvoice(id));
  }

  /** What cannot be done now, or what a killed process left behind, goes on in the queue: its result is asked for again then. */
  private async finished<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!isSluiceError(error) || error.operationId === null) throw error;
        if (!(await this.goesOn(error.code, error.operationId))) throw error;
      }
    }
  }

  private async goesOn(code: SluiceErrorCode, operationId: string): Promise<boolean> {
    if (code === 'OUTCOME_UNKNOWN') {
      const operation = await this.operations.get(operationId);
      // Given up because the process ended whenever it was in hand. Who kills it on purpose knows that this one is not why.
      if (operation === null || operation.endedAt !== null) return operation?.cause === 'deliveries-exhausted';
    } else if (!GOES_ON.has(code)) return false;
    await this.operations.wait(operationId, { deadline: BATCH_WAIT });
    return true;
  }
}

function reasonOf(error: unknown): string {
  const { response } = error as { response?: { status: number; data?: { error?: string } } };
  return response === undefined ? String(error) : `${response.status}: ${response.data?.error ?? 'no text'}`;
}
