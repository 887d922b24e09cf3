// Starts one of the stand-ins: `node main.js accounting --speed 10 --port 4010`, `node main.js vimeo --port 4020 --simulate
// simulateRateLimitError`.
import { parseArgs } from 'node:util';
import { startAccounting } from './accounting.js';
import { startVimeo } from './vimeo/stand-in.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string', default: '0' },
    speed: { type: 'string', default: '1' },
    simulate: { type: 'string', multiple: true },
  },
});
const port = Number(values.port);
const speed = Number(values.speed);

const stands: Readonly<Record<string, () => Promise<{ url: string; stop(): Promise<void> }>>> = {
  accounting: () => startAccounting({ port, speed, failingShare: 0.02, slowInvoice: 7, otherEveryMs: 20_000 }),
  vimeo: () => startVimeo({ port, windowMs: Math.round(60_000 / speed), simulate: values.simulate }),
};

const name = positionals[0] ?? 'accounting';
const start = stands[name];
if (start === undefined) {
  console.error(`There is no stand-in "${name}". Choose one of: ${Object.keys(stands).join(', ')}.`);
  process.exitCode = 1;
} else {
  const server = await start();
  console.log(`${name} listens on ${server.url}`);
  process.once('SIGINT', () => void server.stop());
  process.once('SIGTERM', () => void server.stop());
}
