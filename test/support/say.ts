import { writeSync } from 'node:fs';

/** Says a line to the parent, at once. One that has other things to do leaves the pipe full: it is told when there is room again. */
export function say(line: string): void {
  let rest = Buffer.from(`${line}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EAGAIN') throw error;
    }
  }
}
