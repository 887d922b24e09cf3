// Starts a local stand-in for Vimeo and the GraphQL application in front of it. With VIMEO_URL set, that API is used instead;
// VIMEO_SIMULATE names switches of the stand-in, such as `simulateRateLimitError`.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { startVimeo } from '../../provider-simulator/src/vimeo/stand-in.js';
import { AppModule } from './app.module.js';
import { CALLER_HEADER } from './caller/caller.decorator.js';
import { TokenStore } from './tokens/token-store.js';

const simulate = process.env['VIMEO_SIMULATE']?.split(',');
const standIn = process.env['VIMEO_URL'] === undefined ? await startVimeo({ simulate }) : null;
const baseURL = process.env['VIMEO_URL'] ?? standIn?.url ?? '';
const app = await NestFactory.create(AppModule.register({ vimeo: { baseURL } }));
app.enableShutdownHooks();
if (standIn !== null) {
  app.get(TokenStore).keep({ userId: 'ada' }, { userId: 'ada', vimeoId: '101', accessToken: 'token-of-101' });
  app.get(TokenStore).keep({ userId: 'ben' }, { userId: 'ben', vimeoId: '102', accessToken: 'token-of-102' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void standIn.stop());
}
await app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');

const url = `${await app.getUrl()}/graphql`;
const query = '{ user { id name videos(limit: 3, sort: ALPHABETICAL) { total items { id name } } } }';
console.log(`GraphQL on ${url} (open it in a browser for GraphiQL), in front of ${baseURL}.`);
console.log(`Ask as "ada" or "ben"; another user has no token yet, and connects one with the mutation connectVimeo:
  curl -s ${url} -H 'content-type: application/json' -H '${CALLER_HEADER}: ada' -d '${JSON.stringify({ query })}'`);
