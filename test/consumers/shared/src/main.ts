import 'reflect-metadata';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ path: request.url }));
});

async function main(): Promise<void> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  process.env.CRM_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { AppModule, CrmService } = await import('./crm.js');
  const app = await NestFactory.create(AppModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  const answers = await Promise.all(['1', '2', '3'].map((id) => app.get(CrmService).contact(id)));
  const paths = answers.map((answer) => answer.data.path).join(' ');
  if (paths !== '/contacts/1 /contacts/2 /contacts/3') throw new Error(`unexpected answers: ${paths}`);
  await app.close();
  server.close();
  server.closeAllConnections();
  console.log('ok', paths);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
