import { configError } from '../errors/config-error.js';
import { SluiceError } from '../errors/sluice-error.js';
import { unknownId } from './endings.js';
import { encodePayload } from './payload.js';
import type { OperationStore } from './port.js';
import type { Operation } from './port/operation.js';
import type { Ordered } from './port/operator.js';
import type { OperationState, TransitionCause } from './states.js';
import type { StoreAccess } from './store-access.js';
import type { OperationWatch } from './watch.js';

/** What an operator may order. */
export class Orders {
  constructor(
    private readonly access: StoreAccess,
    private readonly watch: OperationWatch,
    /** Something of the provider is due now. */
    private readonly hastened: (provider: string) => void,
  ) {}

  redrive(id: string): Promise<OperationState> {
    return this.order(id, 'redriven', 'driven again', 'dead, and have its arguments stored', () => (store) => store.redrive(id)); // prettier-ignore
  }

  async discard(id: string, why: string): Promise<OperationState> {
    const reason = reasonOf(why);
    return this.order(id, 'discarded', 'discarded', 'queued, waiting, uncertain or dead', () => (store) => store.discard(id, reason)); // prettier-ignore
  }

  async resolve(id: string, result: unknown, why: string): Promise<OperationState> {
    const reason = reasonOf(why);
    return this.order(id, 'resolved', 'resolved', 'uncertain or dead', ({ provider, name }) => {
      const text = encodePayload(provider, `the result of ${name}`, result);
      return (store) => store.resolve(id, text, reason);
    });
  }

  /** It stays in its state: that is no move. */
  async hasten(id: string): Promise<OperationState> {
    const operation = await this.access.ask(null, (store) => store.get(id));
    if (operation === null) throw unknownId(id);
    const ordered = await this.access.ask(operation.provider, (store) => store.hasten(id));
    if (ordered.type === 'refused') throw refused(operation, ordered.state, 'hastened', 'waiting or uncertain');
    this.hastened(operation.provider);
    return ordered.state;
  }

  private async order(
    id: string,
    cause: TransitionCause,
    what: string,
    expected: string,
    orderOf: (operation: Operation) => (store: OperationStore) => Promise<Ordered>,
  ): Promise<OperationState> {
    const operation = await this.access.ask(null, (store) => store.get(id));
    if (operation === null) throw unknownId(id);
    const { provider, name, state: from } = operation;
    const give = orderOf(operation);
    const told = (ordered: Ordered): void => {
      if (ordered.type === 'moved') this.watch.moved({ id, provider, name, from, to: ordered.state, cause });
    };
    const ordered = await this.access.hear(provider, give, told);
    if (ordered.type === 'refused') throw refused(operation, ordered.state, what, expected);
    return ordered.state;
  }
}

function reasonOf(why: string): string {
  if (typeof why === 'string' && why.trim() !== '') return why;
  throw configError(null, 'why', why, 'a text that says why, for those who come later');
}

function refused(
  { id, provider, name }: Operation,
  state: OperationState | null,
  what: string,
  expected: string,
): Error {
  return new SluiceError({
    code: 'CONFIG',
    provider,
    operationId: id,
    message:
      `Provider "${provider}": operation ${id} of ${name} is ${state ?? 'forgotten'} and cannot be ${what}; nothing was changed. ` +
      `It would have to be ${expected}.`,
  });
}
