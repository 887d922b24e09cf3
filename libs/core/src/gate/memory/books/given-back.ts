/** So many are told apart. Beyond, two neighbours become one, at the later of their moments. */
const MOST = 16;

/**
 * What calls were found not to have cost, and when. A figure that the provider told as it began to answer may count it still,
 * for it was told before.
 */
export class GivenBack {
  private readonly moments: number[] = [];
  private readonly amounts: number[] = [];
  /** When the calls were granted: of several, the first. */
  private readonly grants: number[] = [];

  note(now: number, amount: number, grantedAt: number): void {
    const { moments, amounts, grants } = this;
    const last = moments.length - 1;
    if (last >= 0 && moments[last] === now && grants[last] === grantedAt) {
      amounts[last] = (amounts[last] as number) + amount;
      return;
    }
    moments.push(now);
    amounts.push(amount);
    grants.push(grantedAt);
    if (moments.length > MOST) this.thin();
  }

  /** Of the older half, every two become one. */
  private thin(): void {
    const { moments, amounts, grants } = this;
    for (let i = 0; i < MOST / 4; i += 1) {
      moments.splice(i, 1);
      const [amount = 0] = amounts.splice(i, 1);
      const [grantedAt = 0] = grants.splice(i, 1);
      amounts[i] = amount + (amounts[i] as number);
      grants[i] = Math.min(grantedAt, grants[i] as number);
    }
  }

  /** What was given back after `moment` of calls that were granted before another. */
  since(moment: number, grantedBefore: number): number {
    const { moments, amounts, grants } = this;
    let sum = 0;
    for (let i = moments.length - 1; i >= 0 && (moments[i] as number) > moment; i -= 1) {
      if ((grants[i] as number) < grantedBefore) sum += amounts[i] as number;
    }
    return sum;
  }
}
