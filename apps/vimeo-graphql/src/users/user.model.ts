import { Field, ID, ObjectType } from '@nestjs/graphql';
import { idOfUri } from '../vimeo/uri.js';
import type { VimeoUserBody } from '../vimeo/vimeo.bodies.js';

@ObjectType({ description: 'A user of Vimeo.' })
export class User {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String)
  link!: string;

  @Field(() => String, { nullable: true })
  location!: string | null;

  @Field(() => String, { nullable: true })
  bio!: string | null;

  @Field(() => String)
  createdTime!: string;

  @Field(() => String)
  account!: string;
}

export function toUser(body: VimeoUserBody): User {
  const { name, link, location, bio, account } = body;
  return { id: idOfUri(body.uri, 'users'), name, link, location, bio, account, createdTime: body.created_time };
}
