import { createHash } from 'node:crypto';

/** 128 bits: two values of one provider do not meet by accident, nor by a search a user could afford. */
const HEX_DIGITS = 32;

/** Stands for a partition value or a tenant in keys: the same in every process, different for every provider and dimension. */
export function hashValue(provider: string, dimension: string, value: string): string {
  return createHash('sha256').update(`${provider}\0${dimension}\0${value}`).digest('hex').slice(0, HEX_DIGITS);
}
