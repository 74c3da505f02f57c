/**
 * A git repository with a history like a real one, made from a seed: branches that leave the main line at different points, and on
 * each of them commits that change, add, move and remove files, turn files into folders and back, and change modes.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';

const BRANCHES = 6;
const COMMITS_ON_A_BRANCH = 4;
const FILES_IN_A_FOLDER = 25;
/** The next commit changes one in this many of the files of a commit. */
const TOUCHED = 8;

interface Entry {
  readonly mode: '100644' | '100755' | '120000';
  readonly text: string;
}

type Contents = Map<string, Entry>;

/** Runs git without the settings of users, so that it does the same on every machine. */
export function git(cwd: string, args: readonly string[], input?: string): string {
  return execFileSync('git', ['-c', 'gc.auto=0', '-c', 'maintenance.auto=false', ...args], {
    cwd,
    encoding: 'utf8',
    input: input ?? '',
    maxBuffer: 256 * 1024 * 1024,
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      LC_ALL: 'C',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** Makes the repository in a new folder and checks nothing out. Returns the commits that can be checked out. */
export function makeHistory(folder: string, files: number, seed: number): string[] {
  mkdirSync(folder);
  git(folder, ['init', '-q', '-b', 'main']);
  const writer = new HistoryWriter(new SeededRandom(`history ${seed}`));
  git(folder, ['fast-import', '--quiet', '--done'], writer.write(files));
  return git(folder, ['rev-list', '--all']).trim().split('\n');
}

class HistoryWriter {
  readonly #random: SeededRandom;
  readonly #out: string[] = [];
  #mark = 0;
  #serial = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  write(files: number): string {
    const main = this.#first(files);
    let tip = this.#commit('main', null, main, new Map());
    for (let branch = 0; branch < BRANCHES; branch++) {
      const contents = new Map(main);
      let at = tip;
      for (let commit = 0; commit < COMMITS_ON_A_BRANCH; commit++) {
        at = this.#next(`side-${branch}`, at, contents);
      }
      tip = this.#next('main', tip, main);
    }
    return [...this.#out, 'done\n'].join('');
  }

  #first(files: number): Contents {
    const contents: Contents = new Map();
    for (let file = 0; file < files; file++) {
      const folder = Math.floor(file / FILES_IN_A_FOLDER);
      const path = `part${folder % 7}/d${folder}/f${file}`;
      contents.set(path, this.#entry(path));
    }
    return contents;
  }

  /** Makes contents that name their version, so that a mixture of two is found. Most are small, some have thousands of lines. */
  #entry(path: string): Entry {
    this.#serial += 1;
    const kind = this.#random.below(60);
    if (kind === 0) return { mode: '120000', text: `to/${this.#serial}` };
    if (kind === 1) return { mode: '100644', text: '' };
    const line = `${path} number ${this.#serial}\n`;
    const lines = kind === 2 ? 6000 : 1 + this.#random.below(200);
    const mode = this.#random.below(10) === 0 ? '100755' : '100644';
    return { mode, text: line.repeat(lines) };
  }

  #next(branch: string, from: number, contents: Contents): number {
    const before = new Map(contents);
    for (const path of before.keys()) {
      if (this.#random.below(TOUCHED) === 0) this.#touch(path, contents);
    }
    return this.#commit(branch, from, contents, before);
  }

  #touch(path: string, contents: Contents): void {
    const entry = contents.get(path) as Entry;
    const act = this.#random.below(8);
    this.#serial += 1;
    if (act === 0) contents.delete(path);
    else if (act === 1) {
      contents.delete(path);
      contents.set(`${path}-moved-${this.#serial}`, entry);
    } else if (act === 2 && entry.mode !== '120000') {
      const mode = entry.mode === '100755' ? '100644' : '100755';
      contents.set(path, { ...entry, mode });
    } else if (act === 3) {
      contents.delete(path);
      contents.set(`${path}/inside`, this.#entry(path));
    } else if (act === 4) {
      const added = `${path}-added-${this.#serial}`;
      contents.set(added, this.#entry(added));
    } else contents.set(path, this.#entry(path));
  }

  #commit(branch: string, from: number | null, contents: Contents, before: Contents): number {
    this.#mark += 1;
    const out = this.#out;
    out.push(`commit refs/heads/${branch}\nmark :${this.#mark}\n`);
    out.push(`committer A <a@b> ${1_600_000_000 + this.#mark} +0000\ndata 1\nx\n`);
    if (from !== null) out.push(`from :${from}\n`);
    for (const path of before.keys()) if (!contents.has(path)) out.push(`D ${path}\n`);
    for (const [path, entry] of contents) {
      if (before.get(path) === entry) continue;
      const { mode, text } = entry;
      out.push(`M ${mode} inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
    }
    return this.#mark;
  }
}

/** The files of a commit: git hashes by path. */
export function filesOf(folder: string, commit: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const line of git(folder, ['ls-tree', '-r', '-z', commit]).split('\0')) {
    const found = /^(?<mode>\d+) blob (?<blob>[0-9a-f]+)\t(?<path>.*)$/s.exec(line);
    if (found?.groups === undefined) continue;
    const { mode = '', blob = '', path = '' } = found.groups;
    files.set(path, `${mode === '120000' ? 'link' : 'file'} ${blob}`);
  }
  return files;
}
