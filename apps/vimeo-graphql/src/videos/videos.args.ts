import { ArgsType, Field, Int, registerEnumType } from '@nestjs/graphql';
import { gqlError } from '../graphql-errors.js';
import type { VideoQuery } from '../vimeo/vimeo.service.js';

export const VideoSort = {
  ALPHABETICAL: 'alphabetical',
  DATE: 'date',
  DURATION: 'duration',
  MODIFIED_TIME: 'modified_time',
} as const;
export const SortDirection = { ASC: 'asc', DESC: 'desc' } as const;
registerEnumType(VideoSort, { name: 'VideoSort' });
registerEnumType(SortDirection, { name: 'SortDirection' });

/** The most Vimeo gives on a page. */
const MAX_LIMIT = 100;

@ArgsType()
export class VideosArgs {
  @Field(() => Int, { defaultValue: 25, description: '1 to 100.' })
  limit!: number;

  @Field(() => Int, { defaultValue: 0, description: 'A multiple of the limit: Vimeo counts in pages.' })
  offset!: number;

  @Field(() => VideoSort, { defaultValue: VideoSort.MODIFIED_TIME })
  sort!: string;

  @Field(() => SortDirection, { defaultValue: SortDirection.DESC })
  direction!: string;

  @Field(() => String, { nullable: true, description: 'Words in the name or description.' })
  search?: string;
}

/** @throws GraphQLError BAD_USER_INPUT where Vimeo has no page for it. */
export function toVideoQuery({ limit, offset, sort, direction, search }: VideosArgs): VideoQuery {
  if (limit < 1 || limit > MAX_LIMIT) throw gqlError('BAD_USER_INPUT', `limit must be from 1 to ${MAX_LIMIT}.`);
  if (offset < 0 || offset % limit !== 0) throw gqlError('BAD_USER_INPUT', 'offset must be a multiple of limit.');
  return { limit, offset, sort, direction, search };
}
