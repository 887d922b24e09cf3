/** So many moments are told apart. Beyond, two neighbours become one, at the later of them. */
const MOST = 16;

/**
 * What calls were found not to have cost, and when. A figure that the provider told as it began to answer may count it still,
 * for it was told before.
 */
export class GivenBack {
  private readonly moments: number[] = [];
  private readonly amounts: number[] = [];

  note(now: number, amount: number): void {
    const { moments, amounts } = this;
    const last = moments.length - 1;
    if (last >= 0 && moments[last] === now) {
      amounts[last] = (amounts[last] as number) + amount;
      return;
    }
    moments.push(now);
    amounts.push(amount);
    if (moments.length > MOST) this.thin();
  }

  /** Of the older half, every two become one. */
  private thin(): void {
    const { moments, amounts } = this;
    for (let i = 0; i < MOST / 4; i += 1) {
      moments.splice(i, 1);
      const [older = 0] = amounts.splice(i, 1);
      amounts[i] = older + (amounts[i] as number);
    }
  }

  /** What was given back after `moment`. */
  since(moment: number): number {
    let sum = 0;
    for (let i = this.moments.length - 1; i >= 0 && (this.moments[i] as number) > moment; i -= 1) {
      sum += this.amounts[i] as number;
    }
    return sum;
  }
}
