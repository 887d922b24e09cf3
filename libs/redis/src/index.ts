export type { RedisClient } from './client.js';
export type { GateHealth, ProviderHealth } from './health.js';
export type { RedisGateOptions, Serializer } from './options.js';
export { type RedisGate, redisGate } from './redis-gate.js';
