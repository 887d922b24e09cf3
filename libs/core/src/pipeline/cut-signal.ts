/** The signal of one attempt. Made when it is first asked for: most senders that need none never pay for one. */
export class CutSignal {
  private controller: AbortController | null = null;
  private cut: { readonly reason: unknown } | null = null;

  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.cut !== null) this.controller.abort(this.cut.reason);
    }
    return this.controller.signal;
  }

  abort(reason: unknown): void {
    this.cut = { reason };
    this.controller?.abort(reason);
  }
}
