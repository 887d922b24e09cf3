/** Injection token of a provider's `HttpService`, whose requests are admitted. */
export function getProviderToken(name: string): string {
  // Nest prints it where it cannot be injected.
  return `HttpService of provider "${name}" (is it in RateLimitModule.forRoot({ providers }), and is that module imported?)`;
}
