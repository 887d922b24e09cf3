import { Inject } from '@nestjs/common';
import { getProviderToken } from '../rate-limit.tokens.js';

/** Injects the `HttpService` of a provider: its requests are admitted, decorated or not. */
export function InjectProvider(name: string): ParameterDecorator & PropertyDecorator {
  return Inject(getProviderToken(name));
}
