import 'reflect-metadata';
import './environment.js';
import { HttpService } from '@nestjs/axios';
import { Test } from '@nestjs/testing';
import axios from 'axios';
import { getProviderToken, isSluiceError, Operations, RateLimitService, type SluiceError } from 'nestjs-sluice';
import { ProviderSimulator, resetAfterExecuting } from 'nestjs-sluice/testing';
import { AppModule, CrmService } from '../src/crm.js';
import { InvoiceModule, InvoiceService } from '../src/invoices.js';

/** The README's examples as they are printed there, over sockets. */
describe('the packed module in this project', () => {
  let provider: ProviderSimulator;
  beforeEach(async () => {
    provider = new ProviderSimulator({
      limits: [{ kind: 'token-bucket', burst: 30, limit: 30, perMs: 60_000 }],
      routes: {
        'GET /contacts/:id': (_, { params }) => ({ status: 200, body: { id: params.id } }),
        'POST /invoices': ({ body }) => ({ status: 201, body }),
        'GET /invoices': ({ query }) => ({ status: 200, body: [{ reference: query.reference }] }),
      },
    });
    await provider.start();
  });
  afterEach(() => provider.stop());

  it('calls the provider through a decorated method and is found by its class', async () => {
    const app = await Test.createTestingModule({ imports: [AppModule] }).compile();
    await app.init();
    const { axiosRef } = app.get<HttpService>(getProviderToken('crm'));
    expect(axiosRef.defaults.baseURL).toBe(process.env.CRM_URL);
    axiosRef.defaults.baseURL = provider.url;

    const answer = await app.get(CrmService).contact('7');

    expect(answer.data).toEqual({ id: '7' });
    expect(answer.sluice?.attempts).toBe(1);
    expect(provider.log.map((arrival) => arrival.path)).toEqual(['/contacts/7']);
    expect(app.get(RateLimitService)).toBeInstanceOf(RateLimitService);
    await app.close();
  });

  it("the errors it gives are this project's own axios errors", async () => {
    const app = await Test.createTestingModule({ imports: [AppModule] }).compile();
    await app.init();
    app.get<HttpService>(getProviderToken('crm')).axiosRef.defaults.baseURL = provider.url;
    provider.play([404]);

    const error: unknown = await app
      .get(CrmService)
      .contact('7')
      .catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(axios.AxiosError);
    expect((error as InstanceType<typeof axios.AxiosError>).response?.status).toBe(404);
    await app.close();
  });

  it('a durable write is sent once, looked up where its answer was lost, and known after a restart', async () => {
    const start = async () => {
      const app = await Test.createTestingModule({ imports: [InvoiceModule] }).compile();
      await app.init();
      app.get<HttpService>(getProviderToken('accounting')).axiosRef.defaults.baseURL = provider.url;
      return { app, invoices: app.get(InvoiceService), operations: app.get(Operations) };
    };
    const first = await start();
    await expect(first.invoices.create('t-1', 3)).resolves.toEqual({ reference: 't-1', hours: 3 });
    await first.app.close();

    const { app, invoices, operations } = await start();
    await expect(invoices.create('t-1', 3)).resolves.toEqual({ reference: 't-1', hours: 3 });
    provider.play([resetAfterExecuting]);
    const error: unknown = await invoices.create('t-2', 5).catch((reason: unknown) => reason);
    expect(isSluiceError(error, 'OUTCOME_UNKNOWN')).toBe(true);
    const ended = await operations.wait((error as SluiceError).operationId!);
    expect(ended).toMatchObject({ state: 'done', cause: 'found', result: { reference: 't-2' } });
    await expect(invoices.create('t-2', 5)).resolves.toEqual({ reference: 't-2' });

    expect(provider.effects.map(({ body }) => body)).toEqual([
      { reference: 't-1', hours: 3 },
      { reference: 't-2', hours: 5 },
    ]);
    await app.close();
  });
});
