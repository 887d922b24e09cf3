import type { ExecutionContext } from '@nestjs/common';
import { durationMs, type InboundContext, type Partition } from '../../../core/src/index.js';
import type { InboundRequest } from '../interfaces/inbound-request.interface.js';
import { refuseLate } from '../guard/call-options.js';
import type { SluiceApplication } from '../sluice-application.js';

export interface InboundSource {
  readonly request: InboundRequest;
  readonly execution?: ExecutionContext;
  /** Aborted when the client disconnects. */
  readonly disconnected?: AbortSignal;
}

/** Name under which a failing inbound function is reported: it is of no provider in particular. */
const NO_PROVIDER = '';

/**
 * The context of one inbound request. Tenant and partition are read when a call first needs them, not before: whoever the
 * request is for is often found out by a guard, and guards run after middleware.
 */
export class LazyInboundContext implements InboundContext {
  readonly deadlineMono: number;
  readonly disconnected: AbortSignal | null;
  readonly reuse = new Map<string, unknown>();

  constructor(
    private readonly application: SluiceApplication,
    private readonly source: InboundSource,
  ) {
    this.disconnected = source.disconnected ?? null;
    this.deadlineMono = this.readDeadline();
  }

  get tenant(): string | null {
    const { tenant } = this.application.inbound;
    const value = tenant && this.ask('tenant', tenant);
    return typeof value === 'string' && value !== '' ? value : null;
  }

  get partition(): Partition | null {
    const { partition } = this.application.inbound;
    return (partition && this.ask('partition', partition)) ?? null;
  }

  private readDeadline(): number {
    const { deadline } = this.application.inbound;
    const value = typeof deadline === 'function' ? this.ask('deadline', deadline) : deadline;
    const ms = durationMs(value);
    return ms === null ? Infinity : this.application.clock.monoMs() + ms;
  }

  private ask<T>(
    name: string,
    fn: (request: InboundRequest, execution?: ExecutionContext) => T | null | undefined,
  ): T | null {
    try {
      const given = fn(this.source.request, this.source.execution) ?? null;
      refuseLate(name, given);
      return given;
    } catch (error) {
      this.application.reportFailedHook(NO_PROVIDER, `inbound.${name}`, error);
      return null;
    }
  }
}
