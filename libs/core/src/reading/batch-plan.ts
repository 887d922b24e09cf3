/** Answers within an answer, each read by itself: where they stand, and what is asked of them. */
import type { ReadingOptions } from './options.js';
import { compilePath, rarePiece, stepsOf } from './path.js';
import { Wanted } from './wanted.js';

type Batch = NonNullable<ReadingOptions['batch']>;

export interface BatchPlan {
  readonly list: (body: unknown) => readonly unknown[];
  readonly piece: string | null;
  readonly id: (element: unknown) => readonly unknown[];
  readonly status: (element: unknown) => readonly unknown[];
  readonly headers: (element: unknown) => readonly unknown[];
  readonly body: (element: unknown) => readonly unknown[];
}

/** Each answer within an answer is asked for what the answer itself is. */
export function wantBatch(wanted: Wanted, batch: Batch, names: ReadonlySet<string>): void {
  const own = new Wanted();
  own.addAll(wanted);
  const element = wanted.add(stepsOf(batch.list));
  for (const path of [batch.id, batch.status]) if (path !== undefined) element.add(stepsOf(path));
  if (batch.body !== undefined) element.add(stepsOf(batch.body)).addAll(own);
  if (batch.headers !== undefined) element.add(stepsOf(batch.headers)).addHeaders(names);
}

export function compileBatch(batch: Batch): BatchPlan {
  const path = (text: string | undefined) => (text === undefined ? () => [] : compilePath(text));
  return {
    list: compilePath(batch.list),
    piece: rarePiece(batch.list),
    id: path(batch.id),
    status: path(batch.status),
    headers: path(batch.headers),
    body: path(batch.body),
  };
}
