/** Injects the address of Vimeo's API. */
export const VIMEO_URL = Symbol('vimeo-graphql/VIMEO_URL');
