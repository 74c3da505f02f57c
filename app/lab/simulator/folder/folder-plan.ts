/** The plan of a run in this world, as data: which programs begin when on which laptop, and what befalls the machines. */
import type { WatchTroubles } from '../posix/directory-watches.ts';
import type { FileSystemSwitches } from '../posix/file-system-switches.ts';
import type { ErrorName } from '../posix/kernel-error.ts';
import type { KernelCall } from '../posix/kernel.ts';
import type { MountTrouble } from './machine-disks.ts';

/** What is wrong with a disk for a while. */
export type DiskTrouble =
  /** Calls fail, each by that chance, on what is at or below a path of the folder: `pick` chooses among those that are there, 0 is all. */
  | {
      readonly kind: 'refused';
      readonly pick: number;
      readonly calls: readonly KernelCall[] | null;
      readonly code: ErrorName;
      readonly chance: number;
    }
  | { readonly kind: 'full' | 'inode-full'; readonly free: number }
  | { readonly kind: 'quota'; readonly free: number }
  | { readonly kind: 'read-only' }
  | { readonly kind: 'immutable'; readonly pick: number };

/** What befalls processes and lines. */
export type ProcessFault =
  /** The daemon dies at that call of its disk from now. */
  | { readonly do: 'crash-at-call'; readonly calls: number; readonly downMs: number }
  | { readonly do: 'kill'; readonly downMs: number }
  | { readonly do: 'power'; readonly downMs: number }
  | { readonly do: 'cut'; readonly lastsMs: number }
  /** The daemon ends in good order and is started again. */
  | { readonly do: 'restart'; readonly downMs: number }
  | { readonly do: 'server-crash'; readonly downMs: number }
  /** The daemon dies, and what it recorded of the folder is found to be damaged at its next start. */
  | { readonly do: 'records-lost'; readonly downMs: number }
  /** People may only read the volume for a while, or are not let in. */
  | { readonly do: 'rights'; readonly rights: 'read' | null; readonly lastsMs: number }
  /** A backup is taken, and the server is put back to it at the end. */
  | { readonly do: 'restored'; readonly lastsMs: number };

/** What befalls a machine, whether its daemon runs or not. */
export type MachineFault =
  | { readonly do: 'disk'; readonly what: DiskTrouble; readonly lastsMs: number }
  /** At that call of the daemon's disk from now, and at further ones. */
  | {
      readonly do: 'error-at-call';
      readonly calls: number;
      readonly code: ErrorName;
      readonly times: number;
    }
  /** `where`: the disk that is mounted in the folder, the folder, or the disk that it is on. */
  | {
      readonly do: 'mount';
      readonly what: MountTrouble;
      readonly where: 'inner' | 'folder' | 'disk';
      readonly lastsMs: number;
    }
  /** Somebody sets the clock of the machine. */
  | { readonly do: 'wall'; readonly byMs: number }
  | { readonly do: 'sleep'; readonly answer: 'reset' | 'none'; readonly lastsMs: number };

/** What befalls a volume that is mounted in the folder, by its number. */
export type MountedFault =
  | { readonly do: 'volume-mounted' | 'volume-unmounted'; readonly volume: number }
  /** The people of a laptop may only read it for a while, or not see it. */
  | {
      readonly do: 'withdrawn';
      readonly volume: number;
      readonly rights: 'read' | null;
      readonly lastsMs: number;
    }
  /** Its directory is removed from the disk with all that is in it, and nobody means the volume. */
  | { readonly do: 'mount-vanishes'; readonly volume: number }
  /** A person gives up what was refused in a mount point. */
  | { readonly do: 'give-up'; readonly volume: number };

/** What a person asks of the daemon. `pick` chooses among what lies in the folder, 0 is all of it. */
export type PersonCommand =
  | {
      readonly do: 'cache';
      readonly act: 'pin' | 'unpin' | 'evict' | 'prefetch' | 'demand';
      readonly pick: number;
    }
  /** How much is kept in full; null: all. */
  | { readonly do: 'bound'; readonly maximum: number | null }
  /** Removals that are held back are meant, or are not. */
  | { readonly do: 'confirm' | 'reject'; readonly pick: number }
  /** A folder is not to be on this disk, or is again. */
  | { readonly do: 'exclude' | 'include'; readonly pick: number };

export type FolderFault = ProcessFault | MachineFault | MountedFault;

export type FolderEntry = {
  /** Milliseconds since everybody was connected. */
  readonly at: number;
  readonly laptop: number;
} & (
  | { readonly kind: 'program'; readonly program: string; readonly seed: number }
  | { readonly kind: 'flush' }
  | ({ readonly kind: 'command' } & PersonCommand)
  | ({ readonly kind: 'fault' } & FolderFault)
);

/** What a disk can't do that others of its type can. */
export type DiskLacks = Partial<
  Pick<
    FileSystemSwitches,
    | 'renameNoReplace'
    | 'exchange'
    | 'links'
    | 'symlinks'
    | 'temporaryFiles'
    | 'reflink'
    | 'birth'
    | 'leases'
    | 'numbers'
    | 'order'
    | 'locks'
    | 'directorySync'
  >
>;

export interface FolderSettings {
  readonly laptops: number;
  /** Disk, database and file calls with a promise take up to so long. */
  readonly diskMs: number;
  /** Between two steps of a program. */
  readonly paceMs: number;
  /** How often a program comes between two calls of a daemon. */
  readonly betweenChance: number;
  readonly networkMs: number;
  /** Of the folder, by its type (posix/file-system-switches.ts). */
  readonly fileSystem: string;
  /** What is wrong with watches; what is left out is as a healthy system has it. */
  readonly watches: Partial<WatchTroubles>;
  /** At the end so much time passes that no replaced file is kept any more. */
  readonly isLong: boolean;
  /** What each folder keeps in full; null: all. */
  readonly cacheBytes: number | null;
  /** How often contents are so long that a placeholder can stand for them; left out: seldom. */
  readonly longChance?: number;
  /** Bounds of the engine other than the usual ones (FolderLimits): small ones are met. */
  readonly limits?: Readonly<Record<string, number>>;
  /** By laptop: the type of a file system other than `fileSystem`; null, or left out: that one. */
  readonly ownFileSystems?: ReadonlyArray<string | null>;
  /** By laptop: what its own disk and the one within the folder lack beside that. */
  readonly lacks?: ReadonlyArray<DiskLacks | null>;
  /** By laptop: the type of a disk that is mounted in the folder; null, or left out: none is. */
  readonly innerDisks?: ReadonlyArray<string | null>;
  /** Volumes, with those that are mounted in the folder; left out: the folder's own. */
  readonly volumes?: number;
}

export interface FolderPlan {
  readonly seed: number;
  readonly settings: FolderSettings;
  /** In order of time. */
  readonly entries: readonly FolderEntry[];
}
