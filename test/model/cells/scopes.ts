/** The scopes that are a world of one subject each: a server with several volumes and people, and programs of several versions. */
import { scopeOfMoves, type Searchable } from '../searchable.ts';
import { access } from './access.ts';
import { copies } from './copies.ts';
import { forgotten } from './forgotten.ts';
import { locks } from './locks.ts';
import { mounts, ring } from './mounts.ts';
import { numbers } from './numbers.ts';
import { sharing } from './sharing.ts';
import { snapshots } from './snapshots.ts';

export const CELL_SCOPES: readonly Searchable[] = [
  scopeOfMoves(
    'moved-volume',
    'ada saves in two volumes, one of which moves to another server',
    numbers,
  ),
  scopeOfMoves(
    'mounted',
    'a volume is mounted in the folder of bob, whose right to it changes',
    mounts,
  ),
  scopeOfMoves('ring', 'two people mount two volumes in each other', ring),
  scopeOfMoves('rights', 'the rights of bob change while he reads and saves', access),
  scopeOfMoves(
    'snapshots',
    'a snapshot is made, read and removed while the volume goes on',
    snapshots,
  ),
  scopeOfMoves('locks', 'ada and bob lock a file', locks),
  scopeOfMoves(
    'conflict-copies',
    'ada has a conflict and names like those of conflicts, and programs are updated',
    copies,
  ),
  scopeOfMoves(
    'forgotten',
    'bob forgets a directory and looks at it again, while ada changes it',
    forgotten,
  ),
  scopeOfMoves(
    'shared-folder',
    'ada shares a folder with bob and cyd, and takes it back from bob, who also leaves',
    sharing,
  ),
];
