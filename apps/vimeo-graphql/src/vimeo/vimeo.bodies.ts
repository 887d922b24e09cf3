/** What Vimeo's API answers, as far as it is asked for. */
export interface VimeoUserBody {
  readonly uri: string;
  readonly name: string;
  readonly link: string;
  readonly location: string | null;
  readonly bio: string | null;
  readonly created_time: string;
  readonly account: string;
}

export interface VimeoVideoBody {
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
}

export interface VimeoPageBody {
  readonly total: number;
  readonly page: number;
  readonly per_page: number;
  readonly paging: { readonly next: string | null; readonly first: string };
  readonly data: readonly VimeoVideoBody[];
}

/** Naming the fields keeps the answers small. */
export const USER_FIELDS = 'uri,name,link,location,bio,created_time,account';
export const VIDEO_FIELDS = 'uri,name,description,link,duration,width,height,created_time,modified_time,status';
