/** A provider of which nothing is known: it is read by what is standard and usual, and every guess is short and told. */
import { profile } from './profile.js';
import { providerFrom } from './provider-from.js';

export const GENERIC = profile({
  name: 'generic',
  title: 'Any provider',
  sources: [
    { url: 'https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3', checked: '2026-11-30' },
    { url: 'https://www.rfc-editor.org/rfc/rfc6585.html#section-4', checked: '2026-11-30' },
    { url: 'https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/', checked: '2026-11-30' },
  ],
  numbers: {},
  choices: {},
  contract: () => ({
    limits: [],
    // The window that providers have most: a shorter pause ends before it, and the call that tests the water is refused.
    pause: { maxGuess: '1m' },
  }),
  notes: {
    refused: [
      '429; a 403 that tells a wait, or on which nothing is left (a guess)',
      '503 with `Retry-After` is a failure whose wait is honoured',
    ],
    told: [
      '`Retry-After` in seconds or as a date, and the fields `RateLimit` and `RateLimit-*` of the IETF: believed up to `pause.maxHint`',
      '`X-RateLimit-*`, `X-Rate-Limit-*`: a reset that is a bare number is a guess, waited for at most a minute',
      'a refusal without any of them: a pause of at most a minute, then one call tests the water',
    ],
    resend: [
      'a 429 has not been done: safe to send again',
      'of writes nothing else is sent again: no key is known to be honoured',
    ],
    traps: ['no limit is known: calls go out as they come until the provider refuses one'],
  },
});

/**
 * The contract of a provider that nobody has described yet. It takes any option of a contract: give it a `name`, `http.baseURL`,
 * and what is known of its limits.
 *
 * What is standard in an answer is believed up to `pause.maxHint`. Nothing else is waited for longer than a minute, and what
 * was guessed is told once, by a `guess` event and in Nest's log.
 *
 * @throws SluiceError CONFIG on an option that cannot be meant.
 */
export const genericProvider = providerFrom(GENERIC);
