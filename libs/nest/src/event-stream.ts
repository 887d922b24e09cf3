import { Observable, type Observer, Subscriber, Subscription } from 'rxjs';
import type { EventHub, SluiceEvent } from '../../core/src/index.js';

/**
 * The events of an application as an Observable. A listener that throws is reported as a `hook-failed` event: RxJS would
 * throw its error where nobody can catch it, and end the process. (Behind operators, RxJS's own rule holds.)
 */
export class EventStream extends Observable<SluiceEvent> {
  constructor(private readonly hub: EventHub) {
    super((subscriber) => hub.subscribe((event) => subscriber.next(event)));
  }

  override subscribe(
    observerOrNext?: Partial<Observer<SluiceEvent>> | ((event: SluiceEvent) => void) | null,
  ): Subscription {
    if (observerOrNext instanceof Subscriber) return super.subscribe(observerOrNext);
    const next =
      typeof observerOrNext === 'function' ? observerOrNext : (event: SluiceEvent) => observerOrNext?.next?.(event);
    return new Subscription(this.hub.subscribe(next));
  }
}
