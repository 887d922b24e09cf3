import { createHash } from 'node:crypto';

/** A Lua script and the name by which Redis knows it. */
export class Script {
  readonly digest: string;

  constructor(readonly source: string) {
    this.digest = createHash('sha1').update(source).digest('hex');
  }
}
