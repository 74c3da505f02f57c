/** Which clients have a block: the server's table of callbacks, extended to blocks (section 2.2). */
export class Holders {
  readonly #of = new Map<number, Set<number>>();

  add(block: number, client: number): void {
    const set = this.#of.get(block);
    if (set === undefined) this.#of.set(block, new Set([client]));
    else set.add(client);
  }

  remove(block: number, client: number): void {
    const set = this.#of.get(block);
    if (set === undefined) return;
    set.delete(client);
    if (set.size === 0) this.#of.delete(block);
  }

  count(block: number): number {
    return this.#of.get(block)?.size ?? 0;
  }

  has(block: number, client: number): boolean {
    return this.#of.get(block)?.has(client) === true;
  }

  /** The one that has had it longest, but for `not`. */
  other(block: number, not: number): number | undefined {
    for (const client of this.#of.get(block) ?? []) if (client !== not) return client;
    return undefined;
  }

  all(block: number): readonly number[] {
    return [...(this.#of.get(block) ?? [])];
  }
}
