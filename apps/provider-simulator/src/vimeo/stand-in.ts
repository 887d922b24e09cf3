import {
  type Faults,
  type HandlerContext,
  ProviderSimulator,
  type QuotaView,
  type Routes,
  type SimulatedAnswer,
  type SimulatedLimit,
  type SimulatedRequest,
} from 'nestjs-sluice/testing';
import { listVideos, pickFields } from './listing.js';
import { createAccount, type VimeoAccount } from './model.js';

/** What goes wrong, switched while it runs. */
export interface VimeoSwitches {
  /** No token is known: every call is answered 401. */
  simulateMissingToken: boolean;
  /** A token cannot be taken back: `DELETE /tokens` is answered 500. */
  simulateFailRemoveToken: boolean;
  /** 70 % of the calls are refused, whatever is left. */
  simulateRateLimitError: boolean;
  /** Asked for one user, it answers with another. */
  simulateWrongId: boolean;
  /** `GET /me` answers with another user than the token's. */
  simulateMismatchedUser: boolean;
}

export interface VimeoStandInOptions {
  readonly accounts?: readonly VimeoAccount[];
  /** Whose token is whose: user id by token. Default: `token-of-<id>` for each account. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** Calls a user has in each window. Default: 100 for each; a number per user id overrides it. */
  readonly limit?: number;
  readonly limits?: Readonly<Record<string, number>>;
  /** Default: 60 s. */
  readonly windowMs?: number;
  readonly latencyMs?: number;
  /** Switches that are on from the start. Default: none. */
  readonly simulate?: readonly string[];
}

export interface VimeoStandIn {
  readonly simulator: ProviderSimulator;
  readonly switches: VimeoSwitches;
  /** Tokens that are valid now: user id by token. */
  readonly tokens: ReadonlyMap<string, string>;
}

export interface VimeoServer extends VimeoStandIn {
  readonly url: string;
  stop(): Promise<void>;
}

const DEFAULT_LIMIT = 100;
const DEFAULT_WINDOW_MS = 60_000;
const RATE_LIMITED_SHARE = 0.7;
const BEARER = /^bearer (.+)$/i;

const DEFAULT_ACCOUNTS = [
  createAccount('101', 'Ada', 60),
  createAccount('102', 'Ben', 12),
  createAccount('103', 'Cleo', 0),
];

/** A local stand-in for the API of Vimeo: `/me`, `/users/:id`, `/users/:id/videos`, `DELETE /tokens`, a window of calls per user. */
export function createVimeo(options: VimeoStandInOptions = {}): VimeoStandIn {
  const accounts = options.accounts ?? DEFAULT_ACCOUNTS;
  const tokens = new Map(
    Object.entries(options.tokens ?? Object.fromEntries(accounts.map(({ id }) => [`token-of-${id}`, id]))),
  );
  // The counting outlives the token: a call with a token taken back is refused as a stranger's, not let in free.
  const owners = new Map(tokens);
  const windowMs = options.windowMs ?? DEFAULT_WINDOW_MS;
  const limits = accounts.map(({ id }): SimulatedLimit => {
    const limit = options.limits?.[id] ?? options.limit ?? DEFAULT_LIMIT;
    return {
      kind: 'fixed-window',
      name: `user ${id}`,
      limit,
      perMs: windowMs,
      applies: (request) => owners.get(tokenOf(request)) === id,
    };
  });
  const flags: VimeoSwitches = {
    simulateMissingToken: false,
    simulateFailRemoveToken: false,
    simulateRateLimitError: false,
    simulateWrongId: false,
    simulateMismatchedUser: false,
  };
  const simulator = new ProviderSimulator({
    limits,
    routes: routesOf(accounts, tokens, flags),
    latencyMs: options.latencyMs ?? 0,
    refusal: { retryAfter: 'none', body: problem('Too many API requests. Wait before you try again.', 9000) },
    quotaHeaders: vimeoHeaders,
  });
  const switches = switchesOf(flags, simulator, windowMs);
  for (const name of options.simulate ?? []) {
    if (!Object.hasOwn(flags, name))
      throw new RangeError(`There is no switch "${name}". Choose of: ${Object.keys(flags).join(', ')}.`);
    switches[name as keyof VimeoSwitches] = true;
  }
  return { simulator, switches, tokens };
}

export async function startVimeo(options: VimeoStandInOptions & { readonly port?: number } = {}): Promise<VimeoServer> {
  const standIn = createVimeo(options);
  await standIn.simulator.start(options.port);
  return { ...standIn, url: standIn.simulator.url, stop: () => standIn.simulator.stop() };
}

const tokenOf = ({ headers }: SimulatedRequest): string => BEARER.exec(headers['authorization'] ?? '')?.[1] ?? '';

/** The reset is a date, not a number. */
function vimeoHeaders({ tightest, wallMs }: QuotaView): Record<string, string> {
  if (tightest === undefined) return {};
  const resetMs = Math.ceil((wallMs + (tightest.resetUs ?? 0) / 1_000) / 1_000) * 1_000;
  return {
    'x-ratelimit-limit': String(tightest.limit),
    'x-ratelimit-remaining': String(tightest.remaining),
    'x-ratelimit-reset': new Date(resetMs).toISOString().replace('.000Z', '+00:00'),
  };
}

const problem = (error: string, error_code: number): object => ({
  error,
  error_code,
  link: null,
  developer_message: error,
});

function switchesOf(flags: VimeoSwitches, simulator: ProviderSimulator, windowMs: number): VimeoSwitches {
  const limited: Faults = {
    limited: { share: RATE_LIMITED_SHARE, waitMs: (random) => Math.floor(random.next() * windowMs) },
  };
  return new Proxy(flags, {
    set(target, name, value: boolean) {
      if (!(name in target)) return false;
      target[name as keyof VimeoSwitches] = value;
      simulator.faults = target.simulateRateLimitError ? limited : {};
      return true;
    },
  });
}

function routesOf(accounts: readonly VimeoAccount[], tokens: Map<string, string>, flags: VimeoSwitches): Routes {
  const accountOf = (id: string | undefined): VimeoAccount | undefined => accounts.find((account) => account.id === id);
  const otherThan = (id: string): VimeoAccount | undefined => accounts.find((account) => account.id !== id);
  type AsUser = (caller: string, request: SimulatedRequest, context: HandlerContext) => SimulatedAnswer;
  const asUser =
    (answerOf: AsUser) =>
    (request: SimulatedRequest, context: HandlerContext): SimulatedAnswer => {
      const caller = flags.simulateMissingToken ? undefined : tokens.get(tokenOf(request));
      if (caller === undefined)
        return { status: 401, body: problem('You must provide a valid authenticated access token.', 8003) };
      return answerOf(caller, request, context);
    };
  const userAnswer = (account: VimeoAccount | undefined, request: SimulatedRequest): SimulatedAnswer =>
    account === undefined ? notFound() : { status: 200, body: pickFields(account.user, request.query['fields']) };
  return {
    'GET /me': asUser((caller, request) =>
      userAnswer(flags.simulateMismatchedUser ? otherThan(caller) : accountOf(caller), request),
    ),
    'GET /users/:id': asUser((_caller, request, { params }) => {
      const asked = accountOf(params['id']);
      return userAnswer(flags.simulateWrongId && asked !== undefined ? otherThan(asked.id) : asked, request);
    }),
    'GET /users/:id/videos': asUser((caller, request, { params }) => {
      const account = accountOf(params['id']);
      if (account === undefined) return notFound();
      const visible = account.videos.filter(({ privacy }) => account.id === caller || privacy.view === 'anybody');
      const page = listVideos(request.path, visible, request.query);
      return 'invalid' in page
        ? { status: 400, body: problem(`The parameter ${page.invalid} is invalid.`, 2204) }
        : { status: 200, body: page };
    }),
    'DELETE /tokens': asUser((_caller, request) => {
      if (flags.simulateFailRemoveToken) return { status: 500, body: problem('The token could not be removed.', 0) };
      tokens.delete(tokenOf(request));
      return { status: 204 };
    }),
  };
}

const notFound = (): SimulatedAnswer => ({
  status: 404,
  body: problem('The requested user could not be found.', 5000),
});
