/** How a shared gate stands, for a health check. */
export interface GateHealth {
  /** `down`: for at least one provider Redis does not answer, and `outage` of its contract applies. */
  readonly status: 'up' | 'down';
  readonly providers: readonly ProviderHealth[];
}

export interface ProviderHealth {
  readonly provider: string;
  readonly status: 'up' | 'down';
  /** What applies while Redis does not answer. */
  readonly outage: 'local-share' | 'closed' | 'open';
  /** How long it has been down, in ms; null = it is up. */
  readonly downForMs: number | null;
  /** One word for what is wrong, such as SILENT, ECONNREFUSED, BUSY, READONLY; null = it is up. */
  readonly cause: string | null;
}
