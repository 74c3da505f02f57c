/**
 * Files that were replaced or removed by a remote change, kept for a while: a program may have them open still and write
 * (rule F1). What was written late becomes a conflict copy beside the file; the rest is removed in the end.
 *
 * Size and modification time at the replacement are in the name, so that nothing else must be remembered.
 */
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { parseFid, type Fid } from '../../../shared/model/fid.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Host } from '../../../shared/ports/host.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { factsAt, type DiskFacts } from './disk-facts.ts';
import type { FolderLimits } from './folder-limits.ts';
import type { FolderRecords } from './folder-records.ts';
import type { OwnDirectory } from './own-directory.ts';
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

const NAME = /^(\d+\.\d+\.\d+)_(\d+)_(-?\d+)_([0-9a-f]*)_([\s\S]*)$/;

export class LateBases {
  readonly #parts: LateBasesParts;
  #count = 0;

  constructor(parts: LateBasesParts) {
    this.#parts = parts;
  }

  /** Where a file that is about to be replaced is to go. */
  place(fid: Fid, facts: DiskFacts, name: string): string {
    this.#count += 1;
    const unique = `${this.#parts.clock.wall().toString(16).replace('.', '')}${this.#count.toString(16)}`;
    // The name is for the conflict copy; an overlong one is cut, at a whole character.
    const kept = Buffer.from(name).subarray(0, 120).toString('utf8').replaceAll('\ufffd', '');
    return this.#parts.own.room('late', `${fid}_${facts.size}_${facts.mtime}_${unique}_${kept}`);
  }

  /** It lies there now. With another name in the folder it is no base: a write through that name is a change like any other. */
  kept(path: string): void {
    const facts = factsAt(path, this.#parts.root.device);
    if (facts !== null && facts.links > 1) rmSync(path, { force: true });
  }

  /** Looks at those that are old enough (`all`: at every one). */
  inspect(all: boolean): void {
    const { own, root, clock, limits } = this.#parts;
    for (const file of readdirSync(own.room('late', '')).sort()) {
      const path = own.room('late', file);
      const facts = factsAt(path, root.device);
      if (facts === null) continue;
      const age = clock.wall() - Number(BigInt(facts.ctime) / 1_000_000n);
      if (!all && age < limits.late) continue;
      const match = NAME.exec(file);
      const unchanged =
        match !== null && facts.size === Number(match[2]) && facts.mtime === match[3];
      if (unchanged || facts.links > 1) rmSync(path, { force: true });
      else this.#rescue(path, (match?.[1] ?? '') as Fid, match?.[5] ?? file);
    }
  }

  #rescue(path: string, fid: Fid, name: string): void {
    const { records, root, host, log, own } = this.#parts;
    const place = parseFid(fid) === null ? undefined : records.names(fid)[0];
    const dir = (place && records.pathOf(place.dir)) ?? [];
    const copy = conflictName(
      place?.name ?? name,
      this.#parts.deviceName,
      this.#parts.clock.wall(),
    );
    try {
      root.within(dir, (base) => host.renameNoReplace(path, `${base}/${copy}`));
      log.warn('a program wrote to a file after it was replaced: kept beside it', { copy });
      this.#parts.hint([...dir, copy].join('/'));
    } catch (error) {
      log.error('a late write could not be put beside its file', { copy, error: String(error) });
      renameSync(path, own.room('lost+found', copy));
    }
  }
}

/** `name (conflict, DEVICE, DATE).ext`, with the time, so that two of a day differ. */
export function conflictName(name: string, device: string, wall: number): string {
  const when = new Date(wall).toISOString();
  const date = `${when.slice(0, 10)} ${when.slice(11, 19).replaceAll(':', '.')}`;
  const mark = ` (conflict, ${device.replaceAll(/[/\0]/g, '-')}, ${date})`;
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)}${mark}${name.slice(dot)}` : `${name}${mark}`;
}
