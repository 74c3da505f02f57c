/** Signs and colours of what commands print for people. Only signs and lines that begin with one have colours: who sees none reads the same. */

export type Colour = 'green' | 'blue' | 'amber' | 'red' | 'grey';
const COLOURS: Record<Colour, string> = {
  ...{ green: '32', blue: '34', amber: '33', red: '31', grey: '90' },
};

/** What the first sign of a line says. */
export const SIGNS = {
  well: ['●', 'green'],
  moves: ['●', 'blue'],
  rests: ['●', 'grey'],
  needed: ['!', 'amber'],
  wrong: ['✗', 'red'],
  waits: ['·', 'grey'],
} as const satisfies Readonly<Record<string, readonly [sign: string, colour: Colour]>>;

/** `colours`: the terminal shows them, and somebody wants them (`Context.colours`). */
export function painted(text: string, colour: Colour, colours: boolean): string {
  return colours ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text;
}

/** A line that begins with a sign. */
export function signed(how: keyof typeof SIGNS, text: string, colours: boolean): string {
  const [sign, colour] = SIGNS[how];
  return `${painted(sign, colour, colours)} ${text}`;
}

/** Lines below a headline. */
export const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
