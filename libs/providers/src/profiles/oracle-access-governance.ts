import { slidingWindow } from '../../../core/src/index.js';
import type { Rules } from '../fields.js';
import { profile } from '../profile.js';

const RULES: Rules = [
  {
    when: { status: 429, headers: { 'requestlimit-write-retryafter': { present: true } } },
    kind: 'rate',
    scope: 'write',
  },
  {
    when: { status: 429, headers: { 'requestlimit-default-retryafter': { present: true } } },
    kind: 'rate',
    scope: 'default',
  },
  // A 403 is no limit, though it may be the last answer of a minute.
  { when: { status: 403 }, means: 'rejected' },
];

export const ORACLE_ACCESS_GOVERNANCE = profile({
  name: 'oracle-access-governance',
  title: 'Oracle Access Governance',
  sources: [
    { url: 'https://docs.oracle.com/en/cloud/paas/access-governance/pmapi/rate-limits.html', checked: '2026-11-30' },
  ],
  choices: {},
  numbers: {
    readsPerMinute: { value: 180, what: 'calls a minute and service instance that only read' },
    writesPerMinute: { value: 60, what: 'calls a minute and service instance that change something' },
  },
  contract: ({ readsPerMinute, writesPerMinute }) => ({
    dimensions: ['instance'],
    routes: { read: 'GET /*rest', write: '* /*rest' },
    limits: [
      slidingWindow({ name: 'read', limit: readsPerMinute, per: '1m', routes: ['read'] }),
      slidingWindow({ name: 'write', limit: writesPerMinute, per: '1m', routes: ['write'] }),
    ],
    reading: {
      scopes: { default: 'read', write: 'write' },
      waits: [
        { from: 'requestlimit-default-retryafter', as: 'milliseconds' },
        { from: 'requestlimit-write-retryafter', as: 'milliseconds' },
      ],
      pickWait: 'longest',
      windows: [
        { scope: 'default', remaining: 'requestlimit-default-remaining' },
        { scope: 'write', remaining: 'requestlimit-write-remaining' },
      ],
      rules: RULES,
    },
  }),
  notes: {
    refused: ['429'],
    told: [
      '`RequestLimit-Default-Remaining` and `RequestLimit-Write-Remaining`: calls left that read, and that write; both on every answer',
      '`RequestLimit-Default-RetryAfter` and `RequestLimit-Write-RetryAfter`: milliseconds, on the 429 of each',
    ],
    resend: ['a 429 has not been done: safe to send again'],
    traps: [
      'some POSTs only read and count as such; which they are is not told, and the contract counts every POST as a write',
    ],
  },
});
