import { Args, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { type Caller, CurrentCaller } from '../caller/caller.decorator.js';
import { gqlError } from '../graphql-errors.js';
import { TokenStore } from '../tokens/token-store.js';
import { toVideoQuery, VideosArgs } from '../videos/videos.args.js';
import { toVideoPage, VideoPage } from '../videos/video.model.js';
import { idOfUri } from '../vimeo/uri.js';
import { VimeoSdkService } from '../vimeo/vimeo-sdk.service.js';
import { VimeoService } from '../vimeo/vimeo.service.js';
import { toUser, User } from './user.model.js';

@Resolver(() => User)
export class UserResolver {
  constructor(
    private readonly tokens: TokenStore,
    private readonly vimeo: VimeoService,
    private readonly sdk: VimeoSdkService,
  ) {}

  @Query(() => User, { description: 'A user of Vimeo: the caller, or whose id is given.' })
  async user(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, nullable: true }) id: string | null,
  ): Promise<User> {
    const token = this.tokens.require(caller);
    return toUser(await this.vimeo.user(token, id ?? token.vimeoId));
  }

  @Query(() => User, { description: 'The user whose token the caller has connected, by the callback-style SDK.' })
  async me(@CurrentCaller() caller: Caller): Promise<User> {
    return toUser(await this.sdk.me(this.tokens.require(caller)));
  }

  @ResolveField(() => VideoPage)
  async videos(@CurrentCaller() caller: Caller, @Parent() user: User, @Args() args: VideosArgs): Promise<VideoPage> {
    return toVideoPage(await this.vimeo.videos(this.tokens.require(caller), user.id, toVideoQuery(args)));
  }

  @Mutation(() => User, { description: 'Connects an account of Vimeo to the caller.' })
  async connectVimeo(
    @CurrentCaller() caller: Caller,
    @Args('accessToken', { type: () => String }) accessToken: string,
  ): Promise<User> {
    const known = this.tokens.find(caller);
    const user = await this.sdk.me({ userId: caller.userId, vimeoId: '', accessToken });
    const vimeoId = idOfUri(user.uri, 'users');
    if (known !== undefined && known.vimeoId !== vimeoId) {
      throw gqlError(
        'VIMEO_TOKEN_MISMATCH',
        `The token is that of Vimeo user ${vimeoId}; user ${caller.userId} is connected to ${known.vimeoId}.`,
      );
    }
    this.tokens.keep(caller, { userId: caller.userId, vimeoId, accessToken });
    return toUser(user);
  }

  @Mutation(() => Boolean, { description: "Takes the caller's token back at Vimeo and forgets it." })
  async disconnectVimeo(@CurrentCaller() caller: Caller): Promise<boolean> {
    await this.vimeo.removeToken(this.tokens.require(caller));
    this.tokens.remove(caller);
    return true;
  }
}
