/** The keys of a provider's book, and what all processes together have written in it. */
import type { UsedEntry } from '../../used-book.js';
import type { Known } from './read-stage.js';
import { ownerRecordOf, type StageRecord, stageRecordOf } from './record.js';

const PREFIX = 'memory';

export function ownerKey(owner: string): string {
  return `${PREFIX}/${owner}`;
}

/** Stages are named by hashed values only. */
export function stageKeyOf(owner: string, stage: string): string {
  return `${PREFIX}/${owner}/${stage}`;
}

/** What is known of one stage, and the keys under which it was written. */
export interface KnownStage extends Known {
  readonly keys: readonly string[];
  /** Of processes that have ended in order. */
  readonly endedKeys: readonly string[];
}

export interface Read {
  /** Keys of the processes that have written, and of those of them that have ended in order. */
  readonly owners: readonly string[];
  readonly endedOwners: readonly string[];
  /** Wall time in ms of the latest start after a process that did not end in order. */
  readonly gapWallMs: number | null;
  readonly unreadable: number;
  /** Stages of which somebody wrote that they are paused. */
  readonly paused: readonly string[];
  /** Of a stage, once: whoever asks keeps it. */
  take(stage: string): KnownStage;
}

interface Found {
  readonly key: string;
  readonly owner: string;
  readonly record: StageRecord | null;
}

/** @param nowUs the gate's time, when the wall clock says `wallMs` */
export function readBook(entries: readonly UsedEntry[], self: string, wallMs: number, nowUs: number): Read {
  const owners: string[] = [];
  const ended = new Set<string>();
  const stages = new Map<string, Found[]>();
  let unreadable = 0;
  let gapWallMs: number | null = null;
  const gap = (atMs: number): void => {
    gapWallMs = Math.max(gapWallMs ?? -Infinity, Math.min(atMs, wallMs));
  };
  for (const { key, value } of entries) {
    const [prefix, owner, ...rest] = key.split('/');
    if (prefix !== PREFIX || owner === undefined || owner === self || value === '') continue;
    const stage = rest.join('/');
    if (rest.length > 0) {
      const record = tried(() => stageRecordOf(value));
      if (record === null) unreadable += 1;
      const found = stages.get(stage);
      if (found === undefined) stages.set(stage, [{ key, owner, record }]);
      else found.push({ key, owner, record });
      continue;
    }
    owners.push(key);
    const record = tried(() => ownerRecordOf(value));
    if (record === null) unreadable += 1;
    if (record === null || record.open) gap(wallMs);
    else ended.add(owner);
    if (record !== null && record.gapMs !== null) gap(record.gapMs);
  }
  const agoUs = gapWallMs === null ? Infinity : (wallMs - gapWallMs) * 1000;
  return {
    owners,
    endedOwners: owners.filter((key) => ended.has(key.slice(PREFIX.length + 1))),
    gapWallMs,
    unreadable,
    paused: [...stages].flatMap(([stage, found]) => (found.some(({ record }) => record?.pause != null) ? [stage] : [])),
    take(stage) {
      const found = stages.get(stage) ?? [];
      stages.delete(stage);
      return {
        records: found.map(({ record }) => record),
        keys: found.map(({ key }) => key),
        endedKeys: found.filter(({ owner }) => ended.has(owner)).map(({ key }) => key),
        readUs: nowUs,
        readWallMs: wallMs,
        gapUs: nowUs - agoUs,
      };
    },
  };
}

function tried<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
