import type { SimulatedLimit, SimulatedRequest, SimulatorOptions } from 'nestjs-sluice/testing';

const MINUTE_MS = 60_000;

/** Some methods of each tier; what is not listed is of tier 4. */
const TIERS = [
  { perMinute: 1, methods: [] as string[] },
  { perMinute: 20, methods: ['conversations.list', 'users.list', 'pins.add'] },
  { perMinute: 50, methods: ['conversations.info', 'conversations.history', 'chat.update', 'reactions.add'] },
  { perMinute: 100, methods: ['users.info', 'conversations.members', 'views.publish'] },
];

const methodOf = ({ path }: SimulatedRequest): string => path.slice(path.lastIndexOf('/') + 1);
const workspaceOf = ({ headers }: SimulatedRequest): string => headers['authorization'] ?? '';
const channelOf = ({ body, query }: SimulatedRequest): string =>
  String((body as { readonly channel?: unknown } | undefined)?.channel ?? query['channel'] ?? '');

/** @param tier1 methods of tier 1, once a minute: history, for apps that are sold outside of Slack's Marketplace */
function tiers(tier1: readonly string[]): SimulatedLimit[] {
  const tierOf = (method: string): number => {
    if (tier1.includes(method)) return 0;
    const listed = TIERS.findIndex(({ methods }) => methods.includes(method));
    return listed < 0 ? TIERS.length - 1 : listed;
  };
  return TIERS.map(({ perMinute }, tier) => ({
    kind: 'sliding-window',
    name: `tier ${tier + 1}`,
    limit: perMinute,
    perMs: MINUTE_MS,
    applies: (request) => methodOf(request) !== 'chat.postMessage' && tierOf(methodOf(request)) === tier,
    partition: (request) => `${workspaceOf(request)} ${methodOf(request)}`,
  }));
}

/** Slack: each method in each workspace by the minute of its tier, messages by the second and channel; nothing is told but a wait. */
export function slack(app: 'internal' | 'other' = 'internal'): SimulatorOptions {
  return {
    limits: [
      ...tiers(app === 'other' ? ['conversations.history', 'conversations.replies'] : []),
      {
        kind: 'sliding-window',
        name: 'messages',
        limit: 1,
        perMs: 1_000,
        applies: (request) => methodOf(request) === 'chat.postMessage',
        partition: (request) => `${workspaceOf(request)} ${channelOf(request)}`,
      },
    ],
    latencyMs: 120,
    refusal: { body: { ok: false, error: 'ratelimited' } },
  };
}
