import type { SimulatedRequest, SimulatorOptions } from 'nestjs-sluice/testing';

const TEN_MINUTES_MS = 600_000;

/** Of a test with one app: the mailbox alone. */
const mailboxOf = ({ path }: SimulatedRequest): string => path.split('/')[3] ?? '';

/** Outlook in Microsoft Graph: calls in ten minutes, refused ones too, and four at once, for each app and mailbox. */
export function msgraph({ perMailbox = 10_000 } = {}): SimulatorOptions {
  return {
    limits: [
      {
        kind: 'sliding-window',
        name: 'mailbox',
        limit: perMailbox,
        perMs: TEN_MINUTES_MS,
        partition: mailboxOf,
        refusedCalls: 'count',
      },
      { kind: 'concurrency', name: 'MailboxConcurrency', limit: 4, partition: mailboxOf },
    ],
    latencyMs: 200,
    refusal: {
      body: {
        error: { code: 'ApplicationThrottled', message: 'Application is over its MailboxConcurrency limit.' },
      },
    },
  };
}
