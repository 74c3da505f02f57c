/**
 * The switches of the model: one for each rule of the protocol that has a hole without it, and one for each thing that
 * the model showed to be needed besides. A switch that is off makes the model do the plausible, naive thing.
 */
const OF_THE_PROTOCOL = [
  'P2',
  'P3',
  'P5',
  'S1',
  'S2',
  'S4',
  'S5',
  'W1',
  'W2',
  'W4',
  'W5',
  'C1',
  'I1',
  'I2',
] as const;

/** Sentences of rule P1, and of what Godwit's architecture says beyond the rules. */
const OF_THE_ARCHITECTURE = [
  'P1-wait',
  'P1-suspend',
  'announce-again',
  'chain',
  'hello-gives-up',
  'lease-row',
] as const;

/** What the rules do not say, and need: each was a finding with all of the rules on. */
const MENDS = [
  'owing',
  'no-outrun',
  'lists-metadata',
  'new-epoch-waits',
  'break-pulls',
  'wait-no-unshared',
  'wait-no-answers',
  'named-updates',
  'saves-follow',
  'own-run',
] as const;

/** Of the worlds of one subject in `cells/`: a server with several volumes and people, and programs of several versions. */
const OF_CELLS = [
  'M1',
  'applied-moves',
  'marks-move',
  'move-waits',
  'M2',
  'cut-at-crossing',
  'M3',
  'M4',
  'M5',
  'withdrawn-silent',
  'A1',
  'hello-rights',
  'A2',
  'A3',
  'A4',
  'A5',
  'H1',
  'durable-cut',
  'H2',
  'H3',
  'snapshot-epoch',
  'H4',
  'K1',
  'lapsed-lost',
  'K2',
  'K3',
  'K4',
  'K5',
  'C4',
  'says-none',
  'unsaid-by-name',
  'logged-mark',
  'mark-gated',
  'N1',
  'N3',
  'given-up-voids',
  'hidden-kept',
  'A6',
  'A7',
  'offers-own',
  'mount-seen',
  'digest-alone',
  'source-again',
] as const;

export const SWITCHES = [...OF_THE_PROTOCOL, ...OF_THE_ARCHITECTURE, ...MENDS, ...OF_CELLS];
export type Switch = (typeof SWITCHES)[number];
export type Rules = Readonly<Record<Switch, boolean>>;

export function allRules(): Rules {
  return rulesWithout();
}

export function rulesWithout(...off: readonly Switch[]): Rules {
  return Object.fromEntries(SWITCHES.map((name) => [name, !off.includes(name)])) as Rules;
}

export function isSwitch(name: string): name is Switch {
  return (SWITCHES as readonly string[]).includes(name);
}

/** The code of a rule of the rule book. */
const RULE = /^[A-Z]\d$/;

export function kindOf(name: Switch): 'protocol' | 'architecture' | 'mend' {
  if ((OF_THE_PROTOCOL as readonly string[]).includes(name)) return 'protocol';
  if ((OF_CELLS as readonly string[]).includes(name)) return RULE.test(name) ? 'protocol' : 'mend';
  return (MENDS as readonly string[]).includes(name) ? 'mend' : 'architecture';
}
