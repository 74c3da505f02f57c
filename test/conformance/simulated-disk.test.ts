/** The Disk port on the simulated kernel, with the file systems that people have. */
import {
  BTRFS,
  EXT4,
  FUSE,
  HFS,
  NFS,
  TMPFS,
  VFAT,
  XFS,
} from '../../app/lab/simulator/posix/file-system-switches.ts';
import { simulatedSite } from '../support/simulated-programs.ts';
import { diskConformance } from './disk.suite.ts';

for (const switches of [EXT4, TMPFS, BTRFS, XFS]) {
  diskConformance(`simulated ${switches.type}`, () => simulatedSite(switches, []));
}
/** Mounted as desktops do it: a mode is dropped without a word. */
const QUIET_FAT = {
  ...VFAT,
  fixed: { uid: 1000, gid: 1000, file: 0o755, directory: 0o755, refusal: null },
};
diskConformance('simulated vfat', () =>
  simulatedSite(QUIET_FAT, [
    ...(['links', 'symlinks', 'swaps', 'xattrs', 'modes', 'special', 'rights'] as const),
    ...(['cases', 'ends', 'raw', 'fifos', 'exact', 'changes'] as const),
  ]),
);

/** By a file without a name it is found out what a directory passes on; where there is none, nothing is. */
const PASSES_ON = { temporaryFiles: null };
diskConformance('simulated FUSE', () =>
  simulatedSite({ ...FUSE, ...PASSES_ON }, [
    'swaps',
    'xattrs',
    'writers',
    'fifos',
    'exact',
    'changes',
  ]),
);
diskConformance('simulated NFS', () =>
  simulatedSite({ ...NFS, ...PASSES_ON }, ['swaps', 'writers']),
);

/** The newer of a Mac's disks lists a name as it was written. */
const APFS = { ...HFS, ...PASSES_ON, names: { ...HFS.names, stored: 'as written' } } as const;
diskConformance('simulated disk of a Mac', () =>
  simulatedSite(APFS, ['swaps', 'cases', 'forms', 'raw', 'exact', 'changes']),
);
