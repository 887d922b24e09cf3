import { xero } from 'nestjs-sluice/providers';
import { xero as standIn } from '../../src/catalogue/xero.js';
import { expectFull, run, times } from './run.fixture.js';

test('Xero: reads and writes of three tenants, each within its minute and its five at once', async () => {
  const calls = times(3, (tenant) =>
    times(290, (i) => ({
      method: i % 4 === 0 ? 'PUT' : 'GET',
      url: i % 4 === 0 ? '/Invoices' : `/Contacts/${i}`,
      headers: { 'xero-tenant-id': `t${tenant}` },
      sluice: { partition: { tenant: `t${tenant}` } },
    })),
  ).flat();
  // 60 at once, and 60 more after each minute.
  expectFull(await run((settings) => xero(settings), standIn(), calls), 4 * 60_000);
});
