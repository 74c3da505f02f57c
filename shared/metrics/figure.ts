/**
 * The metrics of a program as data: each figure with its kind, its meaning and what it is now. It is made when a client asks, so nothing is counted
 * twice and nothing is kept without need.
 */
export interface Sample {
  /** All samples of a figure have the same ones. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Figure {
  /** A counter never goes down while its process lives. */
  readonly kind: 'gauge' | 'counter';
  /** With its unit, as Prometheus wants it: seconds, bytes; a counter ends in `_total`. */
  readonly name: string;
  readonly help: string;
  /** None: there is nothing to tell now, and the figure is left out. */
  readonly samples: readonly Sample[];
}

/** Null: not known now. */
export type FigureValue = number | boolean | null | readonly Sample[];

/** A figure that can rise and fall. `name` and `help` are those of the Prometheus text format. */
export function gauge(name: string, help: string, value: FigureValue): Figure {
  return { kind: 'gauge', name, help, samples: samplesOf(value) };
}

/** A figure that only grows while the process runs. */
export function counter(name: string, help: string, value: FigureValue): Figure {
  return { kind: 'counter', name, help, samples: samplesOf(value) };
}

/** A sample for each of `things`, distinguished by one label. Things for which `valueOf` gives null have none. */
export function each<T>(
  label: string,
  things: Iterable<T>,
  nameOf: (thing: T) => string | number,
  valueOf: (thing: T) => number | null,
): Sample[] {
  return [...things].flatMap((thing) => {
    const value = valueOf(thing);
    return value === null ? [] : [{ labels: { [label]: String(nameOf(thing)) }, value }];
  });
}

function samplesOf(value: FigureValue): readonly Sample[] {
  if (value === null) return [];
  if (typeof value === 'object') return value;
  return [{ labels: {}, value: Number(value) }];
}
