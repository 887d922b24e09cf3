import { readFileSync } from 'node:fs';

/** How TypeScript becomes JavaScript in tests, and in the processes that tests start. */
const swcOptions = JSON.parse(readFileSync(new URL('test/support/swc-options.json', import.meta.url), 'utf8'));

/** Most waiting is virtual; a slow machine may take long over it all the same. */
const TEST_TIMEOUT_MS = 180_000;

const base = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/test/consumers/'],
  moduleNameMapper: {
    '^nestjs-sluice$': '<rootDir>/libs/nest/src/index.ts',
    '^nestjs-sluice/(.*)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  transform: {
    '^.+\\.ts$': ['@swc/jest', swcOptions],
  },
};

const seeded = { ...base, setupFiles: ['<rootDir>/test/support/property-seed.ts'] };

export default {
  // A worker keeps what each of its specs has loaded: a new one is sooner made than so much memory swept.
  workerIdleMemoryLimit: '1GB',
  testTimeout: TEST_TIMEOUT_MS,
  globalSetup: '<rootDir>/scripts/redis-server.mjs',
  globalTeardown: '<rootDir>/scripts/redis-server-teardown.mjs',
  projects: [
    { ...seeded, displayName: 'unit', testMatch: ['<rootDir>/libs/*/src/**/*.spec.ts'] },
    {
      ...seeded,
      displayName: 'wide',
      testMatch: ['<rootDir>/test/**/*.spec.ts', '<rootDir>/apps/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/long/', '<rootDir>/test/fleet/real/'],
    },
    { ...base, displayName: 'long', testMatch: ['<rootDir>/test/long/**/*.spec.ts'] },
    { ...base, displayName: 'fleet', testMatch: ['<rootDir>/test/fleet/real/**/*.spec.ts'] },
  ],
};
