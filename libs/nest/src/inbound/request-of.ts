import type { ExecutionContext } from '@nestjs/common';
import type { InboundRequest } from '../interfaces/inbound-request.interface.js';

/** What stands for the request in each transport; one without headers has empty ones. */
export function requestOf(execution: ExecutionContext): InboundRequest {
  switch (execution.getType<string>()) {
    case 'http':
      return execution.switchToHttp().getRequest<InboundRequest>();
    case 'graphql': {
      const context = execution.getArgByIndex<Record<string, unknown> | undefined>(2);
      const request = (context?.['req'] ?? context?.['request']) as InboundRequest | undefined;
      return request ?? { headers: {}, context };
    }
    case 'rpc': {
      const rpc = execution.switchToRpc();
      return { headers: {}, data: rpc.getData<unknown>(), context: rpc.getContext<unknown>() };
    }
    default:
      return { headers: {}, args: execution.getArgs() };
  }
}
