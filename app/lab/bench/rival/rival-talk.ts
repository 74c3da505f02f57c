/** What the two ends of a line with a rival are asked, and what the serving one says first. */
import type { Direction } from '../delay/delay-cells.ts';
import type { ControlServices } from '../delay/delay-ends.ts';
import type { Bounds } from '../delay/urgent-messages.ts';

/** Of the end that calls; of the one that serves, `came` alone. One after the other. */
export type Question =
  | { readonly ask: 'send'; readonly bounds: Bounds }
  | { readonly ask: 'answers' | 'came' }
  | { readonly ask: 'bulk' | 'flows'; readonly direction: Direction };

export interface ServedBoth extends ControlServices {
  readonly flowPort: number;
}
