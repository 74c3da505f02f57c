/** Measures one line after the other, until it is interrupted. */
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { DelayCell } from './delay-cells.ts';

/** Measures the cells one by one. Throws GodwitError `timed-out` if it is interrupted. */
export async function eachLine<T>(
  cells: readonly DelayCell[],
  measureOne: (cell: DelayCell) => Promise<T>,
  signal: AbortSignal,
  onStep: (title: string) => void,
): Promise<T[]> {
  const figures: T[] = [];
  for (const [index, cell] of cells.entries()) {
    onStep(`line ${index + 1} of ${cells.length}`);
    try {
      figures.push(await measureOne(cell));
    } catch (error) {
      throw signal.aborted ? new GodwitError('timed-out', 'bench: interrupted') : error;
    }
  }
  return figures;
}
