import type { Grant, Head, StepReply } from '../port.js';

/** The grant of the one call that was asked for, where the gate has nothing else to say of waiting calls. */
export function grantAlone(reply: StepReply, head: Head): Grant | null {
  const { grants, waits, denials, wake } = reply;
  if (grants.length !== 1 || waits.length > 0 || denials.length > 0 || wake.length > 0) return null;
  const grant = grants[0] as Grant;
  return grant.headId === head.id ? grant : null;
}

export function isPromise(reply: StepReply | Promise<StepReply>): reply is Promise<StepReply> {
  return typeof (reply as Promise<StepReply>).then === 'function';
}
