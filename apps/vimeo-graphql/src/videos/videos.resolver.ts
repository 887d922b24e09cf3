import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { type Caller, CurrentCaller } from '../caller/caller.decorator.js';
import { TokenStore } from '../tokens/token-store.js';
import { VimeoService } from '../vimeo/vimeo.service.js';
import { toVideoPage, Video, VideoPage } from './video.model.js';
import { toVideoQuery, VideosArgs } from './videos.args.js';

@Resolver(() => Video)
export class VideosResolver {
  constructor(
    private readonly tokens: TokenStore,
    private readonly vimeo: VimeoService,
  ) {}

  @Query(() => VideoPage, { description: 'Playable videos of the caller, or of the user whose id is given.' })
  async videos(
    @CurrentCaller() caller: Caller,
    @Args('userId', { type: () => ID, nullable: true }) userId: string | null,
    @Args() args: VideosArgs,
  ): Promise<VideoPage> {
    const token = this.tokens.require(caller);
    return toVideoPage(await this.vimeo.videos(token, userId ?? token.vimeoId, toVideoQuery(args)));
  }
}
