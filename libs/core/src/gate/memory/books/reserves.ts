/** How much of `cost` comes out of a lane's own reserve: what is left for all is used first. */
export function fromReserve(cost: number, leftForAll: number, leftOfReserve: number): number {
  const beyond = leftForAll > 0 ? cost - leftForAll : cost;
  if (beyond <= 0 || leftOfReserve <= 0) return 0;
  return beyond < leftOfReserve ? beyond : leftOfReserve;
}

/** Per lane, what the others have reserved: it may not be touched while they have not taken it. */
export function keptForOthers(reserves: readonly number[]): readonly number[] {
  const total = sum(reserves);
  return total === 0 ? [] : reserves.map((one) => total - one);
}

/** Where several lanes have reserves, it matters who took what: otherwise one's own reserve, once taken, would look like the other's. */
export function severalReserves(reserves: readonly number[]): boolean {
  return reserves.filter((one) => one > 0).length > 1;
}

/** What all lanes but one have taken out of their reserves. */
export function takenByOthers(taken: readonly number[], lane: number): number {
  return sum(taken) - (taken[lane] ?? 0);
}

export function sum(numbers: readonly number[]): number {
  let total = 0;
  for (let i = 0; i < numbers.length; i += 1) total += numbers[i] as number;
  return total;
}
