/** In which order the frames of one class leave. What is taken and not done stays where it is, or goes where its order puts it. */
export interface SendOrder<T> extends Iterable<T> {
  /** `bytes`: what is left of it. */
  add(item: T, bytes: number): void;
  /** Who goes next; null: nobody waits. */
  first(): T | null;
  /** So many bytes of it have left. */
  served(item: T, bytes: number): void;
  /** All of it has left. */
  done(item: T): void;
  /** It is taken out before it is done. False: it does not wait. */
  remove(item: T): boolean;
}

/** First in, first out. A Set keeps the order of insertion and forgets in constant time. */
export class FifoOrder<T> implements SendOrder<T> {
  protected readonly items = new Set<T>();

  add(item: T): void {
    this.items.add(item);
  }

  first(): T | null {
    for (const item of this.items) return item;
    return null;
  }

  served(_item: T, _bytes: number): void {}

  done(item: T): void {
    this.items.delete(item);
  }

  remove(item: T): boolean {
    return this.items.delete(item);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.items.values();
  }
}

/** All take turns, a packet at a time. */
export class TurnOrder<T> extends FifoOrder<T> {
  override served(item: T): void {
    this.items.delete(item);
    this.items.add(item);
  }
}
