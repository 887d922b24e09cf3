/** A user as `GET /users/:id` gives it. */
export interface VimeoUser {
  readonly uri: string;
  readonly name: string;
  readonly link: string;
  readonly location: string | null;
  readonly bio: string | null;
  readonly created_time: string;
  readonly account: string;
  readonly metadata: { readonly connections: { readonly videos: { readonly uri: string; readonly total: number } } };
}

/** A video as `GET /users/:id/videos` lists it. */
export interface VimeoVideo {
  readonly uri: string;
  readonly name: string;
  readonly description: string | null;
  readonly link: string;
  readonly duration: number;
  readonly width: number;
  readonly height: number;
  readonly created_time: string;
  readonly modified_time: string;
  readonly status: string;
  readonly is_playable: boolean;
  readonly privacy: { readonly view: 'anybody' | 'nobody' };
}

export interface VimeoAccount {
  readonly id: string;
  readonly user: VimeoUser;
  readonly videos: readonly VimeoVideo[];
}

const HOUR_MS = 3_600_000;
const FIRST_VIDEO_AT = Date.UTC(2026, 0, 1);
const SUBJECTS = ['Harbour at dawn', 'Street market', 'Workshop tour', 'Rehearsal', 'Mountain pass'];

/** An account with `videoCount` videos; every fifth is private and every seventh is not playable. */
export function createAccount(id: string, name: string, videoCount: number): VimeoAccount {
  const videos = Array.from({ length: videoCount }, (_, i) => createVideo(id, i));
  const user: VimeoUser = {
    uri: `/users/${id}`,
    name,
    link: `https://vimeo.example/user${id}`,
    location: null,
    bio: `Films by ${name}`,
    created_time: isoTime(FIRST_VIDEO_AT),
    account: 'basic',
    metadata: { connections: { videos: { uri: `/users/${id}/videos`, total: videos.length } } },
  };
  return { id, user, videos };
}

function createVideo(userId: string, i: number): VimeoVideo {
  const id = `${userId}${String(i + 1).padStart(4, '0')}`;
  const createdMs = FIRST_VIDEO_AT + i * HOUR_MS;
  return {
    uri: `/videos/${id}`,
    name: `${SUBJECTS[i % SUBJECTS.length]} ${i + 1}`,
    description: i % 2 === 0 ? `Take ${i + 1}` : null,
    link: `https://vimeo.example/${id}`,
    duration: 30 + ((i * 37) % 600),
    width: 1_920,
    height: 1_080,
    created_time: isoTime(createdMs),
    // Not in the order of creation, so that sorting by it shows.
    modified_time: isoTime(createdMs + ((i * 7) % 11) * 24 * HOUR_MS),
    status: 'available',
    is_playable: (i + 1) % 7 !== 0,
    privacy: { view: (i + 1) % 5 === 0 ? 'nobody' : 'anybody' },
  };
}

const isoTime = (ms: number): string => new Date(ms).toISOString().replace('.000Z', '+00:00');
