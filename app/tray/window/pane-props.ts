/** What the parts of the window are given. */
import type { FolderRow, FoundRow } from '../../../shared/control/folder.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { Api } from '../view/api.ts';
import type { Tell } from './toast.tsx';

export interface PaneProps {
  readonly api: Api;
  readonly status: StatusSnapshot;
  readonly tell: Tell;
}

/** Something in a folder, with its names from the root of the volume. */
export type PlacedRow = FoundRow;

/** Something in a folder that a person has selected. */
export interface Selected {
  readonly volume: string;
  readonly path: readonly string[];
  readonly fid: FolderRow['fid'];
}
