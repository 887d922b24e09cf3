import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { idOfUri } from '../vimeo/uri.js';
import type { VimeoPageBody, VimeoVideoBody } from '../vimeo/vimeo.bodies.js';

@ObjectType({ description: 'A video on Vimeo.' })
export class Video {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { nullable: true })
  description!: string | null;

  @Field(() => String)
  link!: string;

  @Field(() => Int, { description: 'Seconds.' })
  duration!: number;

  @Field(() => Int)
  width!: number;

  @Field(() => Int)
  height!: number;

  @Field(() => String)
  createdTime!: string;

  @Field(() => String)
  modifiedTime!: string;

  @Field(() => String)
  status!: string;
}

@ObjectType()
export class VideoPage {
  @Field(() => Int, { description: 'Videos on all pages.' })
  total!: number;

  @Field(() => Boolean)
  hasMore!: boolean;

  @Field(() => [Video])
  items!: Video[];
}

export function toVideoPage(body: VimeoPageBody): VideoPage {
  return { total: body.total, hasMore: body.paging.next !== null, items: body.data.map(toVideo) };
}

function toVideo(body: VimeoVideoBody): Video {
  const { name, description, link, duration, width, height, status } = body;
  const [createdTime, modifiedTime] = [body.created_time, body.modified_time];
  return {
    id: idOfUri(body.uri, 'videos'),
    name,
    description,
    link,
    duration,
    width,
    height,
    status,
    createdTime,
    modifiedTime,
  };
}
