import type { VimeoVideo } from './model.js';

type Query = Readonly<Record<string, string>>;

/** A page of a list, as Vimeo gives it. */
export interface Page {
  readonly total: number;
  readonly page: number;
  readonly per_page: number;
  readonly paging: {
    readonly next: string | null;
    readonly previous: string | null;
    readonly first: string;
    readonly last: string;
  };
  readonly data: readonly unknown[];
}

export const DEFAULT_PER_PAGE = 25;
export const MAX_PER_PAGE = 100;

const COMPARE: Readonly<Record<string, (a: VimeoVideo, b: VimeoVideo) => number>> = {
  alphabetical: (a, b) => a.name.localeCompare(b.name),
  date: (a, b) => a.created_time.localeCompare(b.created_time),
  duration: (a, b) => a.duration - b.duration,
  modified_time: (a, b) => a.modified_time.localeCompare(b.modified_time),
};

/** The page that the query asks for, or the name of the parameter that is wrong. */
export function listVideos(
  path: string,
  videos: readonly VimeoVideo[],
  query: Query,
): Page | { readonly invalid: string } {
  const page = wholeNumber(query['page'], 1);
  const perPage = wholeNumber(query['per_page'], DEFAULT_PER_PAGE);
  if (page === null) return { invalid: 'page' };
  if (perPage === null || perPage > MAX_PER_PAGE) return { invalid: 'per_page' };
  const compare = COMPARE[query['sort'] ?? 'date'];
  if (compare === undefined) return { invalid: 'sort' };
  const { direction = query['sort'] === 'alphabetical' ? 'asc' : 'desc' } = query;
  if (direction !== 'asc' && direction !== 'desc') return { invalid: 'direction' };

  const found = videos.filter((video) => isWanted(video, query)).toSorted(compare);
  if (direction === 'desc') found.reverse();
  const last = Math.max(1, Math.ceil(found.length / perPage));
  const link = (number: number): string =>
    `${path}?${new URLSearchParams({ ...query, page: String(number), per_page: String(perPage) }).toString()}`;
  return {
    total: found.length,
    page,
    per_page: perPage,
    paging: {
      next: page < last ? link(page + 1) : null,
      previous: page > 1 ? link(page - 1) : null,
      first: link(1),
      last: link(last),
    },
    data: found.slice((page - 1) * perPage, page * perPage).map((video) => pickFields(video, query['fields'])),
  };
}

function isWanted(video: VimeoVideo, query: Query): boolean {
  if (query['filter'] === 'playable' && String(video.is_playable) !== (query['filter_playable'] ?? 'true'))
    return false;
  const text = query['query']?.toLowerCase();
  return text === undefined || `${video.name} ${video.description ?? ''}`.toLowerCase().includes(text);
}

function wholeNumber(text: string | undefined, otherwise: number): number | null {
  if (text === undefined) return otherwise;
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

/** Keeps what a `fields` parameter names: `uri,name,metadata.connections.videos`. */
export function pickFields(value: object, fields: string | undefined): object {
  if (fields === undefined) return value;
  const picked: Record<string, unknown> = {};
  for (const field of fields.split(',')) {
    const path = field.trim().split('.');
    copy(value as Record<string, unknown>, picked, path);
  }
  return picked;
}

function copy(
  from: Record<string, unknown>,
  to: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
): void {
  if (!Object.hasOwn(from, name)) return;
  const value = from[name];
  if (rest.length === 0 || typeof value !== 'object' || value === null) {
    to[name] = value;
    return;
  }
  to[name] ??= {};
  copy(value as Record<string, unknown>, to[name] as Record<string, unknown>, rest);
}
