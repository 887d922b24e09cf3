import type { OperationContext } from '../context/contexts.js';
import type { OperationJournal } from './journal.js';

/** A part of an operation: its requests are told apart from those of the other parts, and from none by their order. */
export function scopedOperation(operation: OperationContext, scope: string): OperationContext {
  const { journal } = operation;
  return {
    ...operation,
    key: JSON.stringify([operation.key, scope]),
    ordinals: new Map(),
    ...(journal && { journal: scopedJournal(journal, scope) }),
  };
}

function scopedJournal(journal: OperationJournal, scope: string): OperationJournal {
  const named = (step: string): string => `${scope}: ${step}`;
  return {
    get isOpen() {
      return journal.isOpen;
    },
    known: (step) => journal.known(named(step)),
    record: (request) => journal.record({ ...request, step: named(request.step) }),
    ended: (step, end) => journal.ended(named(step), end),
  };
}
