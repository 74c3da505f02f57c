/** What the parts of the window for files are given. */
import type { FolderRow } from '../../../shared/control/folder.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { Api } from '../view/api.ts';
import type { Tell } from './toast.tsx';

export interface PaneProps {
  readonly api: Api;
  readonly status: StatusSnapshot;
  readonly tell: Tell;
}

/** Something in a folder that a person has selected. */
export interface Selected {
  readonly volume: string;
  readonly path: readonly string[];
  readonly fid: FolderRow['fid'];
}
