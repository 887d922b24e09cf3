export { teardown as default } from './redis-server.mjs';
