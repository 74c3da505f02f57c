/**
 * Programs as people use them: editors with their safe saves, a database, git, an installer of packages. The other side gets what
 * they meant, and whoever reads meanwhile sees nothing torn, empty or older.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readTree } from '../support/tree-reader.ts';
import type { FrontEndHarness } from './front-end-harness.ts';

const MANY = 2000;
const SOME = 800;

/** How editors save `doc`, each as it was seen to. */
const EDITORS: Record<string, (at: (name: string) => string, text: string) => void> = {
  'writes in place': (at, text) => writeFileSync(at('doc'), text),
  'writes another and renames it over (most)': (at, text) => {
    writeFileSync(at('doc.tmp'), text);
    renameSync(at('doc.tmp'), at('doc'));
  },
  'moves the old one away, writes anew, removes the old (vim)': (at, text) => {
    writeFileSync(at('4913'), '');
    unlinkSync(at('4913'));
    renameSync(at('doc'), at('doc~'));
    writeFileSync(at('doc'), text);
    unlinkSync(at('doc~'));
  },
  'copies the old one, writes in place (vim, emacs)': (at, text) => {
    copyFileSync(at('doc'), at('doc~'));
    writeFileSync(at('doc'), text);
    unlinkSync(at('doc~'));
  },
  'a lock beside it (LibreOffice)': (at, text) => {
    writeFileSync(at('.~lock.doc#'), 'me');
    writeFileSync(at('lu1.tmp'), text);
    renameSync(at('lu1.tmp'), at('doc'));
    unlinkSync(at('.~lock.doc#'));
  },
  'a lock that is a link, and a draft (emacs)': (at, text) => {
    symlinkSync('me@laptop.1:2', at('.#doc'));
    writeFileSync(at('#doc#'), 'draft');
    writeFileSync(at('doc'), text);
    unlinkSync(at('#doc#'));
    unlinkSync(at('.#doc'));
  },
  'removes it and writes anew': (at, text) => {
    unlinkSync(at('doc'));
    writeFileSync(at('doc'), text);
  },
};

export function programsSuite(name: string, start: () => Promise<FrontEndHarness>): void {
  let harness: FrontEndHarness;
  const path = (...names: string[]): string => join(harness.root, ...names);
  const isSame = async (): Promise<void> => {
    await harness.settled();
    expect(harness.tree()).toEqual(harness.volume());
  };

  beforeEach(async () => {
    harness = await start();
  });
  afterEach(() => harness.end());

  describe(`a save by an editor in a front end (${name})`, () => {
    it.each(Object.keys(EDITORS))('keeps the file and its history: %s', async (how) => {
      writeFileSync(path('doc'), 'one');
      await harness.settled();
      const { fid } = harness.status('doc');
      for (const text of ['two', 'three']) {
        EDITORS[how]?.(path, text);
        await harness.settled();
        expect(harness.volume()).toEqual({ doc: text });
      }
      // Another device that has it open has the same file still, unless it was removed here for good.
      if (how.startsWith('writes')) expect(harness.status('doc').fid).toBe(fid);
      await harness.other.write('doc', 'theirs');
      EDITORS[how]?.((each) => path(`new-${each}`.replace('new-doc', 'doc')), 'mine after theirs');
      await harness.settled();
      expect(Object.values(harness.volume())).toContain('mine after theirs');
      expect(Object.values(harness.volume())).toContain(
        Object.keys(harness.volume()).length === 1 ? 'mine after theirs' : 'theirs',
      );
    });
  });

  describe(`a database in a front end (${name})`, () => {
    it('is written all the time, and others get it whole when it is quiet', async () => {
      const database = new DatabaseSync(path('app.db'));
      database.exec('pragma journal_mode = wal; create table t (n integer, filler text)');
      const insert = database.prepare('insert into t values (?, ?)');
      let count = 0;
      const more = (): void => {
        for (let row = 0; row < 50; row++) insert.run((count += 1), 'x'.repeat(200));
      };
      more();
      harness.at('taking', more, 6);
      harness.at('taken', more, 6);
      for (let round = 0; round < 3; round++) {
        more();
        await harness.settled();
      }
      await isSame();
      const there = mkdtempSync(join(tmpdir(), 'godwit-database-'));
      for (const file of Object.keys(harness.volume())) {
        writeFileSync(join(there, file), harness.bytes(file));
      }
      const copy = new DatabaseSync(join(there, 'app.db'));
      expect(copy.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
      expect(copy.prepare('select count(*) as rows, max(n) as last from t').get()).toEqual({
        rows: count,
        last: count,
      });
      copy.close();
      database.close();
      rmSync(there, { recursive: true });
      await isSame();
    });
  });

  describe(`git in a front end (${name})`, () => {
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: path('repo'),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    /** Two branches: files in both that differ, files in one only, a directory that is a file in the other. */
    const makeRepository = (): void => {
      mkdirSync(path('repo'));
      git('init', '-q', '-b', 'main');
      const write = (branch: string, files: number): void => {
        for (let file = 0; file < files; file++) {
          mkdirSync(path('repo', `d${file % 5}`), { recursive: true });
          writeFileSync(
            path('repo', `d${file % 5}`, `f${file}`),
            `${branch} ${file}\n`.repeat(200),
          );
        }
      };
      write('main', 60);
      writeFileSync(path('repo', 'turns'), 'a file');
      git('add', '.');
      git('commit', '-qm', 'main');
      git('checkout', '-qb', 'side');
      git('rm', '-q', 'turns', 'd0/f0', 'd1/f1');
      mkdirSync(path('repo', 'turns'));
      writeFileSync(path('repo', 'turns', 'in'), 'a directory');
      write('side', 40);
      git('add', '.');
      git('commit', '-qm', 'side');
    };

    it('checks out branches in turn, no store is torn, and both work trees are clean', async () => {
      makeRepository();
      await isSame();
      for (const branch of ['main', 'side', 'main', 'side', 'main']) {
        git('checkout', '-q', branch);
        await harness.settled();
        expect(harness.volume()['repo/turns'] === 'a file').toBe(branch === 'main');
      }
      git('checkout', '-q', 'side');
      git('checkout', '-q', 'main');
      git('checkout', '-q', 'side');
      await isSame();
      expect(git('status', '--porcelain')).toBe('');
      expect(git('fsck', '--no-progress')).toBe('');
      const torn = harness
        .stored()
        .filter((text) => /^(?:main|side) \d+\n/.test(text))
        .filter((text) => text !== `${text.split('\n')[0]}\n`.repeat(200));
      expect(torn).toEqual([]);
    });

    it('keeps a lock file that was seen empty or half written from showing so under its new name', async () => {
      writeFileSync(path('index'), 'index 1');
      mkdirSync(path('other'));
      await harness.settled();
      for (const [turn, half] of ['', 'index 3, half', ''].entries()) {
        const text = `index ${turn + 2}, whole`;
        writeFileSync(path('index.lock'), half);
        await harness.settled();
        expect(harness.volume()['index.lock']).toBe(half);
        writeFileSync(path('index.lock'), text);
        renameSync(path('index.lock'), path('index'));
        const shown = new Set<string | undefined>();
        await harness.until(() => {
          const { index } = harness.volume();
          if (index !== `index ${turn + 1}, whole` && index !== 'index 1') shown.add(index);
          return index === text;
        });
        expect([...shown]).toEqual([text]);
        await isSame();
      }
    });

    it('switches branches elsewhere, and a reader here sees nothing torn, empty or older', async () => {
      const text = (turn: number, file: number): string => `turn ${turn} of ${file}\n`.repeat(300);
      for (let file = 0; file < 30; file++) await harness.other.write(`f${file}`, text(0, file));
      await isSame();
      const reader = await readTree(harness.root);
      for (let turn = 1; turn <= 8; turn++) {
        for (let file = 0; file < 30; file++)
          await harness.other.write(`f${file}`, text(turn, file));
        if (turn % 3 === 0) await harness.settled();
      }
      await isSame();
      const seen = await reader.stop();
      for (let file = 0; file < 30; file++) {
        const turns = (seen.get(`f${file}`) ?? []).map((each) => {
          const turn = Number(/^turn (\d+) /.exec(each ?? '')?.[1] ?? -1);
          expect(each).toBe(text(turn, file));
          return turn;
        });
        expect(turns).toEqual([...turns].sort((a, b) => a - b));
        expect(turns.at(-1)).toBe(8);
      }
    });
  });

  describe(`whole trees in a front end (${name})`, () => {
    const LEVELS = Array.from({ length: 10 }, (_, level) => `level${level}`);

    it('are renamed in 10 levels at once with changes inside', async () => {
      for (let depth = 1; depth <= 10; depth++) {
        mkdirSync(path(...LEVELS.slice(0, depth)));
        writeFileSync(path(...LEVELS.slice(0, depth), 'file'), `file ${depth}`);
      }
      await harness.settled();
      const fids = LEVELS.map((_, at) => harness.status(LEVELS.slice(0, at + 1).join('/')).fid);
      const file = harness.status([...LEVELS, 'file'].join('/')).fid;
      for (let depth = 10; depth >= 1; depth--) {
        const at = LEVELS.slice(0, depth);
        writeFileSync(path(...at, 'file'), `changed ${depth}`);
        writeFileSync(path(...at, 'new'), `new ${depth}`);
        renameSync(path(...at), path(...at.slice(0, -1), `renamed${depth - 1}`));
      }
      await isSame();
      const renamed = LEVELS.map((_, level) => `renamed${level}`);
      expect(fids).toEqual(
        renamed.map((_, at) => harness.status(renamed.slice(0, at + 1).join('/')).fid),
      );
      expect(harness.status([...renamed, 'file'].join('/')).fid).toBe(file);
      expect(harness.volume()[[...renamed, 'file'].join('/')]).toBe('changed 10');
    });

    it('are turned inside out by others while changes are made inside here', async () => {
      for (let depth = 1; depth <= 10; depth++) {
        harness.other.mkdir(LEVELS.slice(0, depth).join('/'));
        await harness.other.write([...LEVELS.slice(0, depth), 'file'].join('/'), `file ${depth}`);
      }
      await harness.settled();
      writeFileSync(path(...LEVELS, 'file'), 'mine');
      for (let depth = 9; depth >= 1; depth--) {
        harness.other.rename(LEVELS.slice(0, depth + 1).join('/'), `out${depth}`);
      }
      await isSame();
      expect(harness.volume()['out9/file']).toBe('mine');
      expect(Object.keys(harness.volume())).toHaveLength(20);
    });

    it(`are removed and made anew by an installer of ${MANY} files`, async () => {
      const install = (version: number): void => {
        for (let file = 0; file < MANY; file++) {
          const dir = path('node_modules', `package${file % 100}`, 'lib');
          mkdirSync(dir, { recursive: true });
          const text = file % 10 === 0 ? `version ${version} of ${file}` : `file ${file}`;
          writeFileSync(join(dir, `${file}.js`), text);
        }
      };
      install(1);
      await isSame();
      rmSync(path('node_modules'), { recursive: true });
      install(2);
      await isSame();
      const volume = harness.volume();
      expect(Object.keys(volume)).toHaveLength(MANY + 201);
      expect(volume['node_modules/package0/lib/0.js']).toBe('version 2 of 0');
      expect(readdirSync(path('node_modules'))).toHaveLength(100);
    });

    it(`come from others with ${SOME} files, half of which go again`, async () => {
      harness.other.mkdir('d');
      for (let file = 0; file < SOME; file++)
        await harness.other.write(`d/${file}`, `file ${file}`);
      await isSame();
      for (let file = 0; file < SOME; file += 2) harness.other.remove(`d/${file}`);
      await isSame();
      expect(readdirSync(path('d'))).toHaveLength(SOME / 2);
    });
  });
}
