import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import { gqlError } from '../graphql-errors.js';

/** The user of this application who asks. */
export interface Caller {
  readonly userId: string;
}

/** Stands for your authentication: in this sample, a gateway in front has checked the user and names him here. */
export const CALLER_HEADER = 'x-user-id';

interface GraphqlContext {
  readonly req: { readonly headers: Readonly<Record<string, string | string[] | undefined>> };
}

/** @throws GraphQLError UNAUTHENTICATED when nobody is named. */
export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  const { req } = GqlExecutionContext.create(context).getContext<GraphqlContext>();
  const userId = req.headers[CALLER_HEADER];
  if (typeof userId !== 'string' || userId === '')
    throw gqlError('UNAUTHENTICATED', `The header ${CALLER_HEADER} names no user.`);
  return { userId };
});
