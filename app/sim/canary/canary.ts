/**
 * A canary: a build that breaks one rule of the protocol. If the checkers do not notice it, they would not notice a bug of
 * that kind either.
 */
export interface Canary {
  readonly name: string;
  /** The rule that it breaks. */
  readonly rule: string;
  /** Breaks every program of this process that is simulated from now on; gives how to mend it. */
  readonly begin: () => () => void;
}
