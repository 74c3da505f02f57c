/** The runs that `godwit bench ... --json FILE` has left, to hold simulated ones against. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { RealCell } from '../bench/agreement.ts';
import type { Cell } from '../bench/cell.ts';
import { about } from '../../../cli/errors.ts';

const seconds = z.number().nonnegative();
const ms = z.number().nonnegative();
const bytes = z.number().nonnegative();
const costs = z.object({
  ...{ callMs: ms, syncMs: ms, writeMsPerMiB: ms },
  // Those of before measured neither.
  ...{ calls: z.array(ms).default([]), editMs: ms.default(0) },
});
const reportShape = z.object({
  simulated: z.literal(false),
  cells: z.array(
    z.object({
      // A cell that no experiment has is one that nothing is held against.
      cell: z.custom<Cell>((value) => typeof value === 'object' && value !== null),
      runs: z.array(
        z.object({
          ...{ drained: seconds, lastRead: seconds, lastWrite: seconds },
          processes: z.array(z.object({ program: z.string(), ended: seconds })),
          byLaptop: z.array(z.object({ crossed: z.object({ up: bytes, down: bytes }) })),
          // Those of before measured none.
          machine: costs.nullable().default(null),
        }),
      ),
    }),
  ),
});

/** Throws `not-found` or `usage`, naming the file. */
export function readRealRuns(file: string): readonly RealCell[] {
  const read = reportShape.safeParse(parsed(file));
  if (read.success) return read.data.cells;
  throw new GodwitError('usage', `--against ${file}: not the --json file of a bench that was real`);
}

function parsed(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw about(file, error);
  }
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
