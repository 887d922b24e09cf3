import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { durationMs, type SluiceEvent, warnings } from '../../core/src/index.js';
import { SLUICE_APPLICATION } from './rate-limit.constants.js';
import { shortDeadline, startsFull, troubleLine } from './rate-limit.messages.js';
import type { SluiceApplication } from './sluice-application.js';

/** Distinct lines about defaults and failed functions, at most, in the life of an application. */
const MAX_LINES = 200;

/**
 * Stops taking work before Nest closes the HTTP server, so that no inbound request is left waiting in a line that nobody
 * serves; closes the gate, and then the store, when all other modules have had their `beforeApplicationShutdown`.
 */
@Injectable()
export class RateLimitLifecycle
  implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly logger = new Logger('RateLimitModule');
  private readonly told = new Set<string>();
  private unwatch: (() => void) | undefined;

  constructor(@Inject(SLUICE_APPLICATION) private readonly application: SluiceApplication) {}

  onModuleInit(): void {
    const { contracts, gate, inbound, names, operations } = this.application;
    for (const warning of contracts.flatMap(warnings)) this.logger.warn(warning);
    const inboundMs = durationMs(inbound.deadline);
    for (const { name, resolved } of contracts) {
      const { attemptMs } = resolved.timeouts;
      if (inboundMs !== null && inboundMs < attemptMs) {
        this.logger.warn(shortDeadline('inbound.deadline', inboundMs, name, attemptMs));
      }
    }
    this.unwatch = this.application.events.watchTrouble((event) => this.tellOnce(event));
    if (gate.kind === 'memory' && operations === null && names.length > 0) this.logger.log(startsFull(names));
  }

  /** When all that stored work may need has been made ready. */
  onApplicationBootstrap(): void {
    this.application.operations?.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.application.drain();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.application.close();
    this.unwatch?.();
  }

  /** What goes wrong call after call is one line, not one a call. */
  private tellOnce(event: SluiceEvent): void {
    const line = troubleLine(event);
    if (line === null || this.told.has(line) || this.told.size >= MAX_LINES) return;
    this.told.add(line);
    this.logger.warn(line);
  }
}
