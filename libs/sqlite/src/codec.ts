/** What is stored of texts and bytes, and back. */
import { types } from 'node:util';
import { configError, storableError, type StoredError } from '../../core/src/index.js';
import type { Serializer } from './options.js';
import type { Stored } from './protocol.js';
import { SqliteStoreError } from './store-error.js';

const UNREADABLE: StoredError = {
  name: 'UnreadableError',
  message: 'What was stored of the error cannot be read: it was written with another serializer.',
  code: null,
  status: null,
  body: null,
};

export class Codec {
  constructor(private readonly serializer: Serializer | null) {}

  encode(text: string): Stored {
    return this.serializer === null ? text : this.encodeBytes(Buffer.from(text));
  }

  /** null where the serializer does not take it. */
  tryEncode(text: string): Stored | null {
    try {
      return this.encode(text);
    } catch {
      return null;
    }
  }

  /** A copy of its own: what is sent to another thread takes all the memory with it that it is a part of. */
  encodeBytes(bytes: Uint8Array): Uint8Array {
    if (this.serializer === null) return new Uint8Array(bytes);
    const encoded: unknown = this.serializer.encode(new Uint8Array(bytes));
    if (!types.isUint8Array(encoded)) {
      throw configError(null, 'sqliteStore({ serializer: { encode } })', typeof encoded, 'a function that gives bytes');
    }
    return new Uint8Array(encoded);
  }

  /** @throws SqliteStoreError `UNREADABLE` for what the serializer did not write. */
  decode(stored: Stored): string {
    // Written before there was a serializer.
    if (typeof stored === 'string') return stored;
    if (this.serializer === null) throw unreadable();
    return Buffer.from(this.decodeBytes(stored)).toString();
  }

  decodeOrNull(stored: Stored | null): string | null {
    return stored === null ? null : this.decode(stored);
  }

  decodeBytes(stored: Uint8Array): Uint8Array {
    if (this.serializer === null) return new Uint8Array(stored);
    let decoded: unknown;
    try {
      decoded = this.serializer.decode(new Uint8Array(stored));
    } catch {
      throw unreadable();
    }
    if (!types.isUint8Array(decoded)) throw unreadable();
    return decoded;
  }

  /** Without credentials and under 8 KB, whoever made it. */
  encodeError(error: StoredError | null): Stored | null {
    return error === null ? null : this.tryEncode(JSON.stringify(storableError(error)));
  }

  decodeError(stored: Stored | null): StoredError | null {
    if (stored === null) return null;
    try {
      return JSON.parse(this.decode(stored)) as StoredError;
    } catch {
      return UNREADABLE;
    }
  }
}

export function storedBytes(stored: Stored): number {
  return typeof stored === 'string' ? Buffer.byteLength(stored) : stored.byteLength;
}

function unreadable(): SqliteStoreError {
  return new SqliteStoreError('A stored value cannot be read: it was written with another serializer.', 'UNREADABLE');
}
