/** A process of its own: an application that calls the provider through the shared gate. */
import 'reflect-metadata';
import type { HttpService } from '@nestjs/axios';
import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import axios from 'axios';
import { Redis } from 'ioredis';
import { getProviderToken, RateLimitModule } from 'nestjs-sluice';
import { redisGate } from 'nestjs-sluice/redis';
import { SeededRandom } from 'nestjs-sluice/testing';
import { type Call, follow, type Load, realTime } from './loads.js';
import { contractOf, type ProviderPlan } from './plan.js';
import { serve } from './remote.js';

export interface Opening {
  readonly process: number;
  readonly processes: number;
  readonly plan: ProviderPlan;
  readonly url: string;
  readonly redisUrl: string;
}

export interface Run {
  readonly loads: readonly Load[];
  readonly seed: number;
  /** When it begins, by the wall clock. */
  readonly fromMs: number;
}

/** How the calls of a run ended. */
export interface Ends {
  succeeded: number;
  /** Gave up, as they were told to. */
  left: number;
  readonly failures: string[];
}

interface Open {
  readonly app: INestApplicationContext;
  readonly redis: Redis;
  readonly http: HttpService;
  readonly process: number;
}

let open: Open | null = null;
let calls = 0;

const verbs = {
  async open({ process, processes, plan, url, redisUrl }: Opening): Promise<void> {
    const redis = new Redis(redisUrl);
    const gate = redisGate({ client: redis, minProcesses: processes });
    @Module({ imports: [RateLimitModule.forRoot({ gate, providers: [contractOf(plan, url)] })] })
    class ClientModule {}
    const app = await NestFactory.createApplicationContext(ClientModule as Type, { logger: ['error'] });
    open = { app, redis, http: app.get<HttpService>(getProviderToken(plan.name)), process };
  },
  async run({ loads, seed, fromMs }: Run): Promise<Ends> {
    const ends: Ends = { succeeded: 0, left: 0, failures: [] };
    const call = (wanted: Call) => send(open as Open, wanted, ends);
    await new Promise((resolve) => setTimeout(resolve, fromMs - wallMs()));
    await Promise.all(loads.map((load, i) => follow(load, new SeededRandom(seed * 1_000 + i), realTime, call)));
    return ends;
  },
  async close(): Promise<void> {
    await open?.app.close();
    await open?.redis.quit();
    open = null;
  },
};

export type ClientVerbs = typeof verbs;

async function send({ http, process }: Open, call: Call, ends: Ends): Promise<void> {
  const { lane, tenant, user, account, leavesAfterMs } = call;
  const headers = { 'x-process': process, 'x-lane': lane, 'x-tenant': tenant, 'x-user': user, 'x-account': account, 'x-came': wallMs() }; // prettier-ignore
  const signal = leavesAfterMs === null ? {} : { signal: AbortSignal.timeout(Math.ceil(leavesAfterMs)) };
  try {
    const sluice = { lane, partition: { user, account }, ...(tenant !== '' && { tenant }) };
    calls += 1;
    await http.axiosRef.get(`/calls/${calls}`, { headers, sluice, ...signal });
    ends.succeeded += 1;
  } catch (error) {
    if (axios.isCancel(error)) ends.left += 1;
    else ends.failures.push(String(error));
  }
}

function wallMs(): number {
  return performance.timeOrigin + performance.now();
}

serve(verbs);
