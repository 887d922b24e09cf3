/**
 * Properties draw the same cases in every run, so that a change is what makes one fail. `SLUICE_SEED=random` draws others, and
 * `SLUICE_SEED=<number>` those of a seed; the long runs always draw anew. A failure names its seed.
 */
import fc from 'fast-check';

const FIXED_SEED = 1_764_500_000;
const wanted = process.env['SLUICE_SEED'];

if (wanted !== 'random') fc.configureGlobal({ seed: wanted === undefined ? FIXED_SEED : Number(wanted) });
