/** The files of a store, before SQLite touches them. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** Why a file cannot be the store's. Its words follow the path. */
export class StoreFileError extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

/**
 * Makes the file where there is none: arguments and answers will be in it, which are not for other users of the host to
 * read. One that is there is not opened: to close it would end the locks that other connections of this process hold.
 */
export function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (statSync(path).isDirectory()) throw new StoreFileError('It is a folder: name a file in it.', 'EISDIR');
  }
}

/** A write-ahead log begins with one of these numbers; the last bit is the byte order of its sums. */
const LOG_MAGIC = 0x377f0682;
const LOG_HEADER_BYTES = 32;

/**
 * SQLite takes a log that it cannot read for an empty one and writes over it, and with it over what was acknowledged. No
 * crash leaves such a log: its head is on the disk before anything that counts.
 */
export function refuseForeignLog(path: string): void {
  const log = `${path}-wal`;
  if (sizeOf(log) <= LOG_HEADER_BYTES) return;
  if (sizeOf(path) === 0) {
    throw new StoreFileError(`Its write-ahead log ${log} is there and its data are not: put both back as they were.`, 'LOG_WITHOUT_DATA'); // prettier-ignore
  }
  const head = Buffer.alloc(LOG_HEADER_BYTES);
  const file = openSync(log, 'r');
  try {
    readSync(file, head, 0, LOG_HEADER_BYTES, 0);
  } finally {
    closeSync(file);
  }
  const isOurs = (head.readUInt32BE(0) & ~1) >>> 0 === LOG_MAGIC;
  // Space that was given to the file before the power went, and never written.
  if (isOurs || head.every((byte) => byte === 0)) return;
  throw new StoreFileError(`Its write-ahead log ${log} is damaged. Nothing was changed: put both files back from one backup.`, 'LOG_DAMAGED'); // prettier-ignore
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
