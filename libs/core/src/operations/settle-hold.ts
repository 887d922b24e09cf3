import type { Ending, Hold, Settled } from './port/hold.js';
import type { OperationState } from './states.js';
import type { StoreAccess } from './store-access.js';
import type { OperationWatch } from './watch.js';

/** A hold that is to end. */
export interface Settling {
  readonly access: StoreAccess;
  readonly watch: OperationWatch;
  readonly hold: Hold;
  readonly provider: string;
  readonly name: string;
  readonly from: OperationState;
}

/** Ends a hold. Null = the store did not answer: what it knows is found when the lease is over. Never rejects. */
export async function settleHold(settling: Settling, ending: Ending): Promise<Settled | null> {
  const { access, watch, hold, provider, name, from } = settling;
  const told = (settled: Settled): void => {
    if (settled.type !== 'settled') return;
    const { state, cause } = settled;
    watch.moved({ id: hold.id, provider, name, from, to: state, cause });
  };
  try {
    return await access.hear(provider, (store) => store.settle(hold, ending), told);
  } catch (error) {
    watch.failed(provider, 'settle', error);
    return null;
  }
}
