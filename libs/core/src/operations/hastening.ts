import type { Partition } from '../model/outcome.js';
import type { ProviderRuntime } from '../pipeline/runtime.js';
import { hashedPartition } from './place.js';
import type { Hastened } from './port/operator.js';
import type { StoreAccess } from './store-access.js';
import type { OperationWatch } from './watch.js';

/** Operations that the store looks at in one step: others have to wait for it. */
const SLICE = 1_000;

/**
 * An operator ended a pause, of the whole provider or one partition: what was put off until the provider can be asked again
 * is due at once. Some of it waits for something else: that is refused again, and put off anew. Never rejects.
 */
export async function hastenAll(
  { access, watch }: { readonly access: StoreAccess; readonly watch: OperationWatch },
  { admission, contract }: ProviderRuntime,
  partition: Partition | null,
): Promise<void> {
  const provider = contract.name;
  const of = { provider, partition: hashedPartition(contract, partition ?? {}) || null, limit: SLICE };
  try {
    // When the gate has heard: what runs before that is put off once more.
    await admission.inspect();
    for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
      const step: Hastened = await access.ask(provider, (store) => store.hastenAll({ ...of, after }));
      after = step.next;
    }
  } catch (error) {
    watch.failed(provider, 'hasten', error);
  }
}
