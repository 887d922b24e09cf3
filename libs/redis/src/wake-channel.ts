/** The one connection for hints of a gate. It comes back by itself; what was missed meanwhile costs a poll, never a permit. */
import { arm, type Cancel, type Clock } from '../../core/src/index.js';
import { isCluster, type RedisClient, subscriberOf } from './client.js';

type Listener = (message: Buffer) => void;

/** A subscription that failed is tried again after so long. ioredis renews those that once stood. */
const AGAIN_AFTER_MS = 1_000;

export class WakeChannel {
  private subscriber: RedisClient | null = null;
  private readonly listeners = new Map<string, Listener>();
  private readonly retries = new Map<string, Cancel>();

  constructor(private readonly client: RedisClient) {}

  listen(clock: Clock, channel: string, listener: Listener): Cancel {
    this.listeners.set(channel, listener);
    this.subscribe(clock, channel);
    return () => this.leave(channel);
  }

  private get connection(): RedisClient {
    if (this.subscriber === null) {
      this.subscriber = subscriberOf(this.client);
      const heard = (channel: Buffer, message: Buffer): void => this.listeners.get(String(channel))?.(message);
      this.subscriber.on('messageBuffer', heard);
      this.subscriber.on('smessageBuffer', heard);
    }
    return this.subscriber;
  }

  private subscribe(clock: Clock, channel: string): void {
    const { connection } = this;
    const subscribing = isCluster(connection) ? connection.ssubscribe(channel) : connection.subscribe(channel);
    subscribing.catch(() => {
      if (!this.listeners.has(channel)) return;
      this.retries.set(
        channel,
        arm(clock, AGAIN_AFTER_MS, () => this.subscribe(clock, channel)),
      );
    });
  }

  private leave(channel: string): void {
    this.listeners.delete(channel);
    this.retries.get(channel)?.();
    this.retries.delete(channel);
    const { subscriber } = this;
    if (subscriber === null) return;
    if (this.listeners.size === 0) {
      this.subscriber = null;
      subscriber.disconnect();
      return;
    }
    const leaving = isCluster(subscriber) ? subscriber.sunsubscribe(channel) : subscriber.unsubscribe(channel);
    leaving.catch(() => undefined);
  }
}
