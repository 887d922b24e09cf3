// Starts one of the stand-ins: `node main.js accounting --speed 10 --port 4010`, `node main.js vimeo --port 4020 --simulate
// simulateRateLimitError`.
import { parseArgs } from 'node:util';
import { ProviderSimulator, type SimulatorOptions } from 'nestjs-sluice/testing';
import { startAccounting } from './accounting.js';
import { airtable } from './catalogue/airtable.js';
import { amazonSpApi } from './catalogue/amazon-sp-api.js';
import { anthropic } from './catalogue/anthropic.js';
import { discord } from './catalogue/discord.js';
import { github } from './catalogue/github.js';
import { hubspot } from './catalogue/hubspot.js';
import { msgraph } from './catalogue/msgraph.js';
import { openai } from './catalogue/openai.js';
import { shopifyGraphql } from './catalogue/shopify-graphql.js';
import { shopifyRest } from './catalogue/shopify-rest.js';
import { slack } from './catalogue/slack.js';
import { strava } from './catalogue/strava.js';
import { xero } from './catalogue/xero.js';
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

interface Stand {
  readonly url: string;
  stop(): Promise<void>;
}

/** In the provider's own time, whatever the speed. */
async function startOne(options: SimulatorOptions): Promise<Stand> {
  const simulator = new ProviderSimulator(options);
  await simulator.start(port);
  return simulator;
}

const stands: Readonly<Record<string, () => Promise<Stand>>> = {
  accounting: () => startAccounting({ port, speed, failingShare: 0.02, slowInvoice: 7, otherEveryMs: 20_000 }),
  vimeo: () => startVimeo({ port, windowMs: Math.round(60_000 / speed), simulate: values.simulate }),
  airtable: () => startOne(airtable()),
  'amazon-sp-api': () => startOne(amazonSpApi()),
  anthropic: () => startOne(anthropic()),
  discord: () => startOne(discord()),
  github: () => startOne(github()),
  hubspot: () => startOne(hubspot()),
  msgraph: () => startOne(msgraph()),
  openai: () => startOne(openai()),
  'shopify-graphql': () => startOne(shopifyGraphql()),
  'shopify-rest': () => startOne(shopifyRest()),
  slack: () => startOne(slack()),
  strava: () => startOne(strava()),
  xero: () => startOne(xero()),
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
