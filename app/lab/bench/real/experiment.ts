/** What a real run is: a workload over lines, with a configuration. Each command of `godwit bench` makes a list of them; one runner runs them. */
import type { Figure } from '../figures.ts';
import type { Configuration } from './configuration.ts';
import type { LineShape } from './line.ts';
import type { Stage } from './stage.ts';

export interface Experiment {
  /** Such as `rw`. */
  readonly name: string;
  /** What sets it apart from the others of its list, for people. */
  readonly title: string;
  /** Of each laptop's line. */
  readonly line: LineShape;
  readonly configuration: Configuration;
  /** It is ended where it takes longer: something is stuck. */
  readonly limitSeconds: number;
  readonly workload: (stage: Stage) => Promise<Figure[]>;
}

export interface Outcome {
  readonly name: string;
  readonly title: string;
  readonly line: LineShape;
  readonly configuration: Configuration;
  readonly shaper: 'relay' | 'tbf';
  readonly figures: readonly Figure[];
  /** Of the machine, in the minute before and after: others may use the cores. */
  readonly load: readonly [number, number];
}
