// The provider of the HTTP bench: a process of its own, so that it never shares the client's event loop.
import { createServer } from 'node:http';

const body = JSON.stringify({ id: 1, name: 'a contact of the bench' });
const server = createServer({ keepAliveTimeout: 120_000 }, (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
