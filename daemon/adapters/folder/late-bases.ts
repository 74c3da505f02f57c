/**
 * Files that were replaced or removed by a remote change, kept for a while: a program may have them open still and write
 * (rule F1). What was written late becomes a conflict copy beside the file; the rest is removed in the end.
 *
 * Size and modification time at the replacement are in the name, so that nothing else must be remembered; and the inode
 * of new contents that are swapped in from here, so that those which never were are known.
 */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { parseFid, type Fid } from '../../../shared/model/fid.ts';
import { conflictName } from './conflict-name.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { factsAt, type DiskFacts } from './disk-facts.ts';
import type { FolderLimits } from './folder-limits.ts';
import type { FolderRecords } from './folder-records.ts';
import { ownName, type OwnDirectory } from './own-directory.ts';
import type { SafeRoot } from './safe-root.ts';

export interface LateBasesParts {
  readonly root: SafeRoot;
  readonly own: OwnDirectory;
  readonly records: FolderRecords;
  readonly host: Host;
  readonly clock: Clock;
  readonly limits: FolderLimits;
  readonly log: Log;
  readonly deviceName: string;
  readonly hint: (path: string) => void;
}

const NAME =
  /^(?<fid>\d+\.\d+\.\d+)_(?<size>\d+)_(?<mtime>-?\d+)_[0-9a-f]*_(?:inode(?<incoming>[\d:]+)_)?(?<name>[\s\S]*)$/;

export class LateBases {
  readonly #parts: LateBasesParts;
  #count = 0;

  constructor(parts: LateBasesParts) {
    this.#parts = parts;
  }

  /** Where a file that is about to be replaced is to go. `incoming`: what lies there until it is swapped with the file. */
  place(fid: Fid, facts: DiskFacts, name: string, incoming: DiskFacts | null): string {
    this.#count += 1;
    const unique = `${this.#parts.clock.wall().toString(16).replace('.', '')}${this.#count.toString(16)}`;
    // The name is for the conflict copy; an overlong one is cut, at a whole character.
    const kept = Buffer.from(ownName(name))
      .subarray(0, 120)
      .toString('utf8')
      .replaceAll('\ufffd', '');
    const inode = incoming === null ? '' : `inode${incoming.inode}_`;
    const file = `${fid}_${facts.size}_${facts.mtime}_${unique}_${inode}${kept}`;
    return this.#parts.own.room('late', file);
  }

  /** It lies there now. With another name in the folder it is no base: a write through that name is a change like any other. */
  kept(path: string): void {
    const facts = factsAt(path, this.#parts.root.device);
    if (facts !== null && facts.links > 1) rmSync(path, { force: true });
  }

  /** Looks at those that are old enough. */
  inspect(): void {
    const { clock, limits } = this.#parts;
    const age = ({ ctime }: DiskFacts): number => clock.wall() - Number(BigInt(ctime) / 1_000_000n);
    this.#inspect((_, facts) => age(facts) >= limits.late);
  }

  /** The disk is full: those go that nobody has open to write, since nobody can open them again. */
  giveWay(): void {
    const { host, log } = this.#parts;
    const isIdle = (path: string): boolean => {
      try {
        return host.isBeingWritten(path) === false;
      } catch {
        // Not ours to read: that is no reason for others to stay.
        return false;
      }
    };
    try {
      this.#inspect(isIdle);
    } catch (error) {
      log.warn('what was replaced keeps its room on the full disk', { error: String(error) });
    }
  }

  #inspect(isDue: (path: string, facts: DiskFacts) => boolean): void {
    const { own, root } = this.#parts;
    for (const file of readdirSync(own.room('late', '')).sort()) {
      const path = own.room('late', file);
      const facts = factsAt(path, root.device);
      if (facts === null) continue;
      const { fid = '', size, mtime, incoming, name = file } = NAME.exec(file)?.groups ?? {};
      const isUnused = incoming === facts.inode;
      if (!isUnused && !isDue(path, facts)) continue;
      const isUnchanged = facts.size === Number(size) && facts.mtime === mtime;
      if (isUnused || isUnchanged || facts.links > 1) rmSync(path, { force: true });
      else this.#rescue(path, fid as Fid, name);
    }
  }

  #rescue(path: string, fid: Fid, name: string): void {
    const { records, root, host, log, own } = this.#parts;
    const place = parseFid(fid) === null ? undefined : records.names(fid)[0];
    const dir = (place && records.pathOf(place.dir)) ?? [];
    const copyIn = (base: string): string =>
      conflictName(place?.name ?? name, this.#parts.deviceName, this.#parts.clock.wall(), (free) =>
        existsSync(`${base}/${free}`),
      );
    try {
      const copy = root.within(dir, (base) => {
        const free = copyIn(base);
        host.renameNoReplace(path, `${base}/${free}`);
        return free;
      });
      log.warn('a program wrote to a file after it was replaced: kept beside it', { copy });
      this.#parts.hint([...dir, copy].join('/'));
    } catch (error) {
      log.error('a late write could not be put beside its file', { name, error: String(error) });
      renameSync(path, own.room('lost+found', copyIn(own.room('lost+found', ''))));
    }
  }
}
