/** The attempt that tests the water. */
export interface Probe {
  readonly seq: number;
  /** When its lease expires. */
  readonly due: number;
}

export interface PauseSchedule {
  readonly initialUs: number;
  readonly factor: number;
  readonly maxUs: number;
}

/** The pause of one stage. */
export class Pause {
  /** On, or over and waiting for its probe's answer. */
  active = false;
  until = 0;
  /** Sequence number at which it began. Answers to attempts granted before do not end it or advance its schedule. */
  epoch = 0;
  /** Refusals in a row, the first one included. */
  step = 0;
  beganAt = 0;
  hinted = false;
  /** Ends with a good answer to a leased probe only. An operator's pause simply ends. */
  tested = false;
  probe: Probe | null = null;
}

/** How long the pause after refusal number `step` (1, 2, ...) in a row lasts where the provider does not say. */
export function pauseLength(schedule: PauseSchedule, step: number): number {
  let length = schedule.initialUs;
  // Not by a power: no two languages round those alike.
  for (let i = 1; i < step && length < schedule.maxUs; i += 1) length *= schedule.factor;
  return length < schedule.maxUs ? length : schedule.maxUs;
}

/** `none`: nothing changed. */
export type PauseMove = 'none' | 'started' | 'lengthened';

/**
 * A refusal by the provider.
 *
 * @param seq sequence number of the refused attempt
 * @param nowSeq the gate's sequence number
 */
export function refuse(
  pause: Pause,
  schedule: PauseSchedule,
  now: number,
  hintUs: number | null,
  seq: number,
  isProbe: boolean,
  nowSeq: number,
): PauseMove {
  const late = !isProbe && seq <= pause.epoch;
  if (late || (pause.active && pause.tested && !isProbe)) {
    // News of before the pause, or of a call sent in spite of it: it can lengthen the wait, nothing else.
    if (hintUs === null || now + hintUs <= pause.until || now + hintUs <= now) return 'none';
    if (!pause.active) begin(pause, now, nowSeq);
    pause.tested = true;
    pause.hinted = true;
    pause.until = now + hintUs;
    return 'lengthened';
  }
  if (!pause.active) begin(pause, now, nowSeq);
  pause.probe = null;
  pause.tested = true;
  pause.epoch = nowSeq;
  pause.hinted = hintUs !== null;
  if (hintUs === null) pause.step += 1;
  const until = now + (hintUs ?? pauseLength(schedule, pause.step));
  // An operator's longer pause is not shortened.
  if (until > pause.until) pause.until = until;
  return 'started';
}

function begin(pause: Pause, now: number, nowSeq: number): void {
  pause.active = true;
  pause.beganAt = now;
  pause.until = 0;
  pause.epoch = nowSeq;
  pause.step = 0;
  pause.probe = null;
}

/** The operator's pause. */
export function hold(pause: Pause, now: number, forUs: number, nowSeq: number): void {
  if (!pause.active) {
    begin(pause, now, nowSeq);
    pause.tested = false;
    pause.hinted = true;
  }
  if (now + forUs > pause.until) pause.until = now + forUs;
}

/** It is over: what is granted from now on belongs to a new epoch. */
export function end(pause: Pause, nowSeq: number): void {
  pause.active = false;
  pause.until = 0;
  pause.step = 0;
  pause.epoch = nowSeq;
  pause.tested = false;
  pause.probe = null;
}

/** The probe was answered, and not with a refusal. True = the pause is over; false = an older answer has made it longer. */
export function probeAlive(pause: Pause, now: number, nowSeq: number): boolean {
  pause.probe = null;
  pause.step = 0;
  if (pause.until > now) return false;
  end(pause, nowSeq);
  return true;
}

/** A probe is wanted and nobody has it. */
export function probeDue(pause: Pause, now: number): boolean {
  return pause.active && pause.tested && pause.until <= now && pause.probe === null;
}

/** Nothing passes but a probe. An operator's pause is simply over at its end. */
export function shut(pause: Pause, now: number): boolean {
  return pause.active && (pause.tested || pause.until > now);
}
