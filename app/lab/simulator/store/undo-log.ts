/** What takes the writes of a group back where one of them is refused, so that a group is all or nothing. */
export class UndoLog {
  readonly #steps: Array<() => void> = [];

  add(step: () => void): void {
    this.#steps.push(step);
  }

  /** `map.set`, with its undoing. */
  put<K, V>(map: Map<K, V>, key: K, value: V): void {
    this.#remember(map, key);
    map.set(key, value);
  }

  /** `map.delete`, with its undoing. */
  drop<K, V>(map: Map<K, V>, key: K): void {
    this.#remember(map, key);
    map.delete(key);
  }

  takeBack(): void {
    for (const step of this.#steps.splice(0).reverse()) step();
  }

  #remember<K, V>(map: Map<K, V>, key: K): void {
    const before = map.get(key);
    this.#steps.push(() => {
      if (before === undefined) map.delete(key);
      else map.set(key, before);
    });
  }
}
