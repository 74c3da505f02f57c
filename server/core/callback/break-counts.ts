/**
 * Counts how many devices had to be told of a change, by the kind of change: none, one, or more.
 *
 * Those with a promise for the file or folder itself are counted apart from those that follow the whole volume: a laptop with a folder is told of
 * every change by design. A device counts once for each change, whatever it holds. Hidden updates are told when they are announced, so they count
 * there, and once more, mostly with nobody to tell, when they are committed.
 */
import type { Update } from '../../../shared/model/update.ts';
import type { Told } from '../device/device.ts';

export const CHANGE_KINDS = ['contents', 'attributes', 'names', 'hidden'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];
/** `vnode`: a promise for the file or folder; `volume`: one for the volume as a whole. */
export const PROMISED = ['vnode', 'volume'] as const;
/** How many devices were told. */
export const TOLD = ['0', '1', '2+'] as const;

export interface BreakCount {
  readonly change: ChangeKind;
  readonly promise: (typeof PROMISED)[number];
  readonly devices: (typeof TOLD)[number];
  readonly count: number;
}

export const nobodyTold = (): Told => ({ vnode: 0, volume: 0 });

/** What an update changes. */
export function kindOfChange({ op }: Update): ChangeKind {
  if (op === 'store') return 'contents';
  return op === 'setattr' ? 'attributes' : 'names';
}

/** Counts changes by how many devices were told of them. */
export class BreakCounts {
  readonly #values = new Float64Array(CHANGE_KINDS.length * PROMISED.length * TOLD.length);
  /** Devices that the change at hand has reached by a promise for a vnode. */
  readonly reached = new Set<number>();

  /** The change is decided. */
  changed(kind: ChangeKind, { vnode, volume }: Told): void {
    this.#add(kind, 0, vnode);
    this.#add(kind, 1, volume);
  }

  /** Zeros included. */
  all(): BreakCount[] {
    return CHANGE_KINDS.flatMap((change, kind) =>
      PROMISED.flatMap((promise, by) =>
        TOLD.map((devices, step) => {
          return { change, promise, devices, count: this.#values[placeOf(kind, by, step)] ?? 0 };
        }),
      ),
    );
  }

  #add(kind: ChangeKind, by: number, devices: number): void {
    const step = Math.min(devices, TOLD.length - 1);
    const place = placeOf(CHANGE_KINDS.indexOf(kind), by, step);
    this.#values[place] = (this.#values[place] ?? 0) + 1;
  }
}

const placeOf = (kind: number, by: number, step: number): number =>
  (kind * PROMISED.length + by) * TOLD.length + step;
