/** What a front end is put into for its conformance suites. */
import type { ErrorStatus } from '../../shared/control/snapshot.ts';
import type { Mtime, VnodeStatus } from '../../shared/model/vnode.ts';

/** Changes the volume as another device would. */
export interface AnotherDevice {
  write(path: string, text: string | Buffer): Promise<unknown>;
  mkdir(path: string, mode?: number): void;
  symlink(path: string, target: string): void;
  remove(path: string): void;
  rename(from: string, to: string): void;
  link(path: string, name: string): void;
  setattr(path: string, change: { mode?: number; mtime?: Mtime }): void;
}

/** What the file system of the tree can do: what it can't is left out of what is expected, and the rest is not. */
export interface TreeAbilities {
  /** `Doc` and `doc`, and a name composed and decomposed, are two names. */
  readonly exactNames: boolean;
  /** A file takes no room where nothing was written. */
  readonly holes: boolean;
}

/** When a program may come between: before and after a file's contents are taken, and before others' are put in its place. */
export type Moment = 'taking' | 'taken' | 'placing';

export interface FrontEndHarness {
  /** Where the tree shows. */
  readonly root: string;
  readonly other: AnotherDevice;
  readonly abilities: TreeAbilities;
  /** Everything done on either side is on both. */
  settled(): Promise<void>;
  /** Resolves when the condition holds; it is asked again after each change on either side. */
  until(condition: () => boolean): Promise<void>;
  /** The volume at the server: contents of files, `-> target`, and for directories (with a slash) nothing. */
  volume(): Record<string, string>;
  /** The same, as the tree shows it. */
  tree(): Record<string, string>;
  status(path: string): VnodeStatus;
  /** What the server has of a file. */
  bytes(path: string): Buffer;
  /** What `godwit status` says is wrong, or worth knowing. */
  errors(): readonly ErrorStatus[];
  /** The contents of every store that was logged here so far, in order. */
  stored(): readonly string[];
  /** Does something at the next such moments, as often as given; a front end that has none does it at once. */
  at(moment: Moment, act: () => void, times?: number): void;
  /** From now on the disk refuses to read or to place what has this name (null: nothing), whoever runs this. */
  refuse(moment: 'taking' | 'placing', name: string | null, code?: string): void;
  /** The time is over in which a program may still write to a file that was replaced. */
  lateTimeOver(): Promise<void>;
  end(): Promise<void>;
}
