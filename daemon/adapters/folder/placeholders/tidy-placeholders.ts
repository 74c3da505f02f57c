/**
 * Puts right what was found of placeholders: they get their names and texts back, what somebody wrote into one becomes a file of its own
 * beside it, and what is left over goes. Each by itself: what can't be done now is found again.
 */
import type { Fid } from '../../../../shared/model/fid.ts';
import { utf8Length } from '../../../../shared/model/names.ts';
import { nameBehind, PLACEHOLDER_SUFFIX } from '../../../../shared/model/placeholder-name.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Disk } from '../disk/disk.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import { conflictName } from '../../../../shared/model/conflict-name.ts';
import { isUntouched, stampOf } from '../disk/disk-facts.ts';
import type { FolderEvents } from '../folder-events.ts';
import type { ErrorBoard } from '../error-board.ts';
import type { FolderRecords } from '../records/folder-records.ts';
import type { InDirectory } from '../disk/in-directory.ts';
import type { Finding } from './placeholder-look.ts';
import type { Placeholders } from './placeholders.ts';
import { PathChanged, Blocked } from '../disk/path-changed.ts';

export interface TidyPlaceholdersParts {
  readonly records: FolderRecords;
  readonly directories: InDirectory;
  readonly placeholders: Placeholders;
  readonly files: Disk;
  readonly clock: Clock;
  readonly deviceName: () => string;
  readonly board: ErrorBoard;
  readonly log: Log;
  readonly events: FolderEvents;
}

/** Repairs the placeholders that a look found misplaced, changed or left over. */
export class TidyPlaceholders {
  readonly #parts: TidyPlaceholdersParts;

  constructor(parts: TidyPlaceholdersParts) {
    this.#parts = parts;
  }

  run(findings: readonly Finding[]): void {
    for (const finding of findings) {
      const path = [...finding.path, finding.name].join('/');
      try {
        this.#one(finding, path);
      } catch (error) {
        const isInTheWay = error instanceof Blocked || error instanceof PathChanged;
        if (!isInTheWay && (error as { code?: unknown }).code === undefined) throw error;
        this.#parts.log.warn('a placeholder could not be put right', { path, why: String(error) });
        this.#parts.events.emit('pathChanged', path);
      }
    }
  }

  #one(finding: Finding, path: string): void {
    const { board, placeholders } = this.#parts;
    switch (finding.what) {
      case 'copy':
        return board.found('placeholder-copied', path);
      case 'left-over':
        return this.#clear(finding);
      case 'untidy':
        this.#rename(finding.fid, finding);
        return placeholders.renew(finding.fid, null);
      case 'taken':
        return this.#giveName(finding, PLACEHOLDER_SUFFIX);
      case 'written':
        this.#giveName(finding, '');
        return placeholders.renew(finding.fid, null);
    }
  }

  /** The file is there and is logged: its placeholder goes. */
  #clear({ path, name }: Finding): void {
    const { records, directories, placeholders, events } = this.#parts;
    const behind = nameBehind(name);
    const dir = records.directoryAt(path);
    if (behind === null || dir === null) return;
    const place = { dir, name: behind };
    const fid = records.at(dir, behind);
    const record = fid === null ? null : records.get(fid);
    const facts = directories.factsOf(place);
    const isLogged =
      record?.placeholder !== true && facts !== null && facts.inode === record?.disk?.inode;
    if (isLogged) placeholders.clear(place, null);
    else events.emit('pathChanged', [...path, behind].join('/'));
  }

  /** Under its name in the volume, and our ending. */
  #rename(fid: Fid, { path, name, facts }: Finding): void {
    const { records, directories, files, events } = this.#parts;
    const dir = records.directoryAt(path);
    const behind = nameBehind(name) ?? name;
    if (dir === null || records.at(dir, behind) !== fid) return;
    const wanted = records.shownName({ dir, name: behind });
    if (wanted === name) return;
    directories.change(dir, (base) => {
      const there = directories.facts(`${base}/${name}`);
      if (there?.inode !== facts.inode) return;
      files.renameNoReplace(`${base}/${name}`, `${base}/${wanted}`);
    });
    events.emit('pathChanged', [...path, wanted].join('/'));
  }

  /** A name beside it that nothing has: what is there is found under that. */
  #giveName({ path, name, facts }: Finding, ending: string): void {
    const { records, directories, clock, deviceName, files, log, events } = this.#parts;
    const keptBytes = utf8Length(PLACEHOLDER_SUFFIX);
    const dir = records.directoryAt(path);
    const behind = nameBehind(name);
    if (dir === null || behind === null) return;
    directories.change(dir, (base) => {
      const there = directories.facts(`${base}/${name}`);
      if (there === null || !isUntouched(there, stampOf(facts))) throw new Blocked([...path, name]);
      const isTaken = (free: string): boolean =>
        directories.facts(`${base}/${free}`) !== null ||
        directories.facts(`${base}/${free}${PLACEHOLDER_SUFFIX}`) !== null;
      const about = { device: deviceName(), wall: clock.wall(), isDirectory: false };
      const free = conflictName(behind, { ...about, keptBytes }, isTaken) + ending;
      this.#parts.events.emit('copyNamed', { dir, name: free }, behind);
      files.renameNoReplace(`${base}/${name}`, `${base}/${free}`);
      const text = [...path, free].join('/');
      log.warn('what was put in the place of a placeholder is kept beside it', { kept: text });
      events.emit('pathChanged', text);
    });
    events.emit('pathChanged', [...path, name].join('/'));
  }
}
