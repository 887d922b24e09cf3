import type { SimulatedRequest } from './request.js';
import { toRequest } from './request.js';

/** Another program that uses the account: one request every `everyMs`, judged as everybody's. */
export interface BackgroundUser {
  readonly everyMs: number;
  /** First request. Default: after one `everyMs`. */
  readonly fromMs?: number;
  /** No request at or after this moment. Default: it never stops. */
  readonly untilMs?: number;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface BackgroundArrival {
  readonly atMs: number;
  readonly request: SimulatedRequest;
}

/** Gives, in order, the requests of others that arrived since it was asked last. Times count from the simulator's start. */
export class BackgroundTraffic {
  private readonly next: { atMs: number; readonly user: BackgroundUser; readonly request: SimulatedRequest }[];

  constructor(users: readonly BackgroundUser[]) {
    this.next = users.map((user) => {
      if (!(user.everyMs > 0))
        throw new RangeError(`Another user of the account cannot send a request every ${user.everyMs} ms.`);
      const { method = 'GET', path = '/', headers = {} } = user;
      return {
        atMs: user.fromMs ?? user.everyMs,
        user,
        request: toRequest({ method, target: path, headers, text: '' }),
      };
    });
  }

  until(nowMs: number): BackgroundArrival[] {
    const arrivals: BackgroundArrival[] = [];
    for (const entry of this.next) {
      const untilMs = entry.user.untilMs ?? Infinity;
      for (; entry.atMs <= nowMs && entry.atMs < untilMs; entry.atMs += entry.user.everyMs) {
        arrivals.push({ atMs: entry.atMs, request: entry.request });
      }
    }
    return arrivals.sort((a, b) => a.atMs - b.atMs);
  }
}
