/** Reads what the script packed: numbers, strings, booleans, lists. Whole numbers beyond 2^53 do not occur. */

const WORD = 4_294_967_296;

/** @throws RangeError when the bytes are no such value. */
export function unpack(bytes: Buffer): unknown {
  const reader = new Reader(bytes);
  const value = reader.value();
  if (!reader.atEnd) throw new RangeError('More bytes than one packed value.');
  return value;
}

class Reader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  get atEnd(): boolean {
    return this.at === this.bytes.length;
  }

  /** Moves on; gives where it stood. */
  private skip(count: number): number {
    const { at } = this;
    this.at += count;
    return at;
  }

  value(): unknown {
    const { bytes } = this;
    const type = bytes.readUInt8(this.skip(1));
    if (type < 0x80) return type;
    if (type < 0x90) return this.emptyMap(type - 0x80);
    if (type < 0xa0) return this.list(type - 0x90);
    if (type < 0xc0) return this.text(type - 0xa0);
    if (type >= 0xe0) return type - 0x100;
    switch (type) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xca:
        return bytes.readFloatBE(this.skip(4));
      case 0xcb:
        return bytes.readDoubleBE(this.skip(8));
      case 0xd9:
        return this.text(bytes.readUInt8(this.skip(1)));
      case 0xda:
        return this.text(bytes.readUInt16BE(this.skip(2)));
      case 0xdb:
        return this.text(bytes.readUInt32BE(this.skip(4)));
      case 0xdc:
        return this.list(bytes.readUInt16BE(this.skip(2)));
      case 0xdd:
        return this.list(bytes.readUInt32BE(this.skip(4)));
      default:
        return this.whole(type);
    }
  }

  private whole(type: number): number {
    const { bytes } = this;
    switch (type) {
      case 0xcc:
        return bytes.readUInt8(this.skip(1));
      case 0xcd:
        return bytes.readUInt16BE(this.skip(2));
      case 0xce:
        return bytes.readUInt32BE(this.skip(4));
      case 0xcf:
        return bytes.readUInt32BE(this.skip(4)) * WORD + bytes.readUInt32BE(this.skip(4));
      case 0xd0:
        return bytes.readInt8(this.skip(1));
      case 0xd1:
        return bytes.readInt16BE(this.skip(2));
      case 0xd2:
        return bytes.readInt32BE(this.skip(4));
      case 0xd3:
        return bytes.readInt32BE(this.skip(4)) * WORD + bytes.readUInt32BE(this.skip(4));
      default:
        throw new RangeError(`No packed value begins with ${type}.`);
    }
  }

  /** Lua does not tell an empty list from an empty map. */
  private emptyMap(size: number): readonly never[] {
    if (size > 0) throw new RangeError('A map where a list was expected.');
    return [];
  }

  private text(length: number): string {
    const at = this.skip(length);
    return this.bytes.toString('utf8', at, at + length);
  }

  private list(length: number): unknown[] {
    const list: unknown[] = [];
    for (let i = 0; i < length; i += 1) list.push(this.value());
    return list;
  }
}
