/** Which contents are being looked at before their first use (check-contents.ts), by name, and which were found damaged. */
export class ContentChecks {
  readonly #underWay = new Set<string>();
  readonly #damaged = new Set<string>();

  /** False: it is under way already. */
  begin(name: string): boolean {
    if (this.#underWay.has(name)) return false;
    this.#underWay.add(name);
    return true;
  }

  ended(name: string, isGood: boolean): void {
    this.#underWay.delete(name);
    if (!isGood) this.#damaged.add(name);
  }

  /** Whether they were not what they should be when they were looked at. */
  wasDamaged(name: string): boolean {
    return this.#damaged.has(name);
  }
}
