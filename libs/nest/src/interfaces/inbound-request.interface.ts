/** What Express and Fastify requests have in common, as the inbound functions see it. */
export interface InboundRequest {
  readonly method?: string;
  readonly url?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whatever earlier middleware has left there, such as `user`. */
  readonly [property: string]: any;
}
