/**
 * The metrics of a program as data: each figure with its kind, its meaning and what it is now. It is made when a client asks, so nothing is counted
 * twice and nothing is kept without need.
 */
export interface Sample {
  /** All samples of a figure have the same ones. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** The part of a histogram that it is. */
  readonly part?: 'bucket' | 'sum' | 'count';
}

export interface Figure {
  /** A counter never goes down while its process lives. */
  readonly kind: 'gauge' | 'counter' | 'histogram';
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

/** How many values fell into each step. `counts` has one more than `bounds`: what is above all of them. */
export interface Steps {
  readonly labels: Readonly<Record<string, string>>;
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
}

/** A figure of values in steps, each of which counts what is up to its bound, as Prometheus wants it. */
export function histogram(name: string, help: string, all: readonly Steps[]): Figure {
  const samples = all.flatMap(({ labels, bounds, counts, sum }): Sample[] => {
    let count = 0;
    const buckets = counts.map((each, index): Sample => {
      count += each;
      const le = String(bounds[index] ?? '+Inf');
      return { part: 'bucket', labels: { ...labels, le }, value: count };
    });
    const rest: Sample[] = [
      { part: 'sum', labels, value: sum },
      { part: 'count', labels, value: count },
    ];
    return [...buckets, ...rest];
  });
  return { kind: 'histogram', name, help, samples };
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
