import axios, { type AxiosInstance } from 'axios';
import { VirtualClock } from '../virtual-clock.js';
import type { SimulatorOptions } from './options.js';
import { ProviderSimulator } from './simulator.js';
import type { TransportOptions } from './transport.js';

export const WALL = Date.UTC(2026, 6, 31, 17);

export interface World {
  readonly clock: VirtualClock;
  readonly simulator: ProviderSimulator;
  readonly http: AxiosInstance;
}

/** A simulator without sockets, and a client of it that takes every status as an answer. */
export function world(options: SimulatorOptions = {}, transport?: TransportOptions): World {
  const clock = new VirtualClock({ wall: WALL });
  const simulator = new ProviderSimulator(options);
  const http = axios.create({
    baseURL: 'https://api.crm.example/v1',
    adapter: simulator.transport(clock, transport),
    validateStatus: () => true,
  });
  return { clock, simulator, http };
}

export const invoices = {
  'POST /v1/invoices': () => ({ status: 201, body: { id: 7 } }),
  'GET /v1/clients/:id': (_: unknown, { params }: { params: Readonly<Record<string, string>> }) => ({
    status: 200,
    body: { id: params['id'] },
  }),
};
