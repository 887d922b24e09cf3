import { storeConformance } from '../../testing/src/index.js';
import { makeStore } from './store.fixture.js';

describe('the SQLite store is a durable store', () => {
  for (const { name, run } of storeConformance(() => makeStore())) it(name, run);
});
