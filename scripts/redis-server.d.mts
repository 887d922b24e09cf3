import type { ChildProcess } from 'node:child_process';

export declare function findRedisServer(): string;
export declare function freePort(): Promise<number>;
export declare function startRedis(port: number, options?: readonly string[]): Promise<ChildProcess>;
export declare function teardown(): Promise<void>;
export default function setup(): Promise<void>;
