/** One listener per signal while calls wait under it, however many they are: a shared signal neither warns nor grows slow. */
export class SignalWatch {
  private readonly watched = new Map<
    AbortSignal,
    { readonly callbacks: Set<() => void>; readonly listener: () => void }
  >();

  /** Signals watched now. */
  get size(): number {
    return this.watched.size;
  }

  /** Calls back once when the signal aborts. The returned function ends the watch; it may be called again. */
  watch(signal: AbortSignal, onAbort: () => void): () => void {
    let entry = this.watched.get(signal);
    if (entry === undefined) {
      const callbacks = new Set<() => void>();
      const listener = (): void => {
        this.forget(signal);
        for (const callback of callbacks) callback();
      };
      entry = { callbacks, listener };
      this.watched.set(signal, entry);
      signal.addEventListener('abort', listener, { once: true });
    }
    const { callbacks } = entry;
    callbacks.add(onAbort);
    return () => {
      if (callbacks.delete(onAbort) && callbacks.size === 0) this.forget(signal);
    };
  }

  private forget(signal: AbortSignal): void {
    const entry = this.watched.get(signal);
    if (entry === undefined) return;
    this.watched.delete(signal);
    signal.removeEventListener('abort', entry.listener);
  }
}
