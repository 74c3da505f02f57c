/**
 * Contents that change while length and modification time stay as they were: editors of tags and pictures, encrypted containers, programs that
 * put the time back. The change time tells, and a rename or a link, which change that too, is no reason not to look.
 */
import {
  linkSync,
  lstatSync,
  mkdirSync,
  closeSync,
  openSync,
  readdirSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { HookedHost } from '../../../../test/support/hooked-host.ts';
import { milliseconds, minutes } from '../../../../shared/model/time.ts';

let bench: FolderBench;
let host: HookedHost;

beforeEach(() => {
  host = new HookedHost();
  bench = new FolderBench(host);
});

afterEach(() => bench.destroy());

/** Other contents of the same length, under the same modification time. */
function rewrite(name: string, text: string): void {
  const path = bench.path(name);
  const { mtimeNs, size } = lstatSync(path, { bigint: true });
  if (Number(size) !== text.length) throw new Error('it is to be as long');
  writeFileSync(path, text);
  host.setMtime(path, mtimeNs);
}

const rename = (from: string, to: string): void => renameSync(bench.path(from), bench.path(to));
const link = (from: string, to: string): void => linkSync(bench.path(from), bench.path(to));

/** Everything is told and shown, both of `ours` and of theirs. */
async function expectBoth(tree: Record<string, string>): Promise<void> {
  await bench.settled();
  expect(bench.volume.tree()).toEqual(tree);
  expect(bench.tree()).toEqual(tree);
}

const CHANGES: Record<string, { readonly change: () => void; readonly tree: object }> = {
  'in place': { change: () => rewrite('a', 'ours'), tree: { a: 'ours', b: 'both' } },
  renamed: {
    change: () => {
      rewrite('a', 'ours');
      rename('a', 'c');
    },
    tree: { b: 'both', c: 'ours' },
  },
  'renamed over another': {
    change: () => {
      rewrite('a', 'ours');
      rename('a', 'b');
    },
    tree: { b: 'ours' },
  },
  'moved into a folder': {
    change: () => {
      mkdirSync(bench.path('d'));
      rewrite('a', 'ours');
      rename('a', 'd/a');
    },
    tree: { b: 'both', 'd/': '', 'd/a': 'ours' },
  },
  'with a second name': {
    change: () => {
      rewrite('a', 'ours');
      link('a', 'c');
    },
    tree: { a: 'ours', b: 'both', c: 'ours' },
  },
  'with a second name in place of the first': {
    change: () => {
      link('a', 'c');
      rewrite('a', 'ours');
      rename('a', 'd');
    },
    tree: { b: 'both', c: 'ours', d: 'ours' },
  },
  'in two files that change names': {
    change: () => {
      rewrite('a', 'ours');
      rewrite('b', 'then');
      rename('a', 'x');
      rename('b', 'a');
      rename('x', 'b');
    },
    tree: { a: 'then', b: 'ours' },
  },
  'after the rename': {
    change: () => {
      rename('a', 'c');
      rewrite('c', 'ours');
    },
    tree: { b: 'both', c: 'ours' },
  },
};

describe.each(Object.entries(CHANGES))(
  'new contents with kept times (%s)',
  (_, { change, tree }) => {
    beforeEach(async () => {
      await bench.other.write('a', 'both');
      await bench.other.write('b', 'both');
      await bench.start();
    });

    it('are logged at once', async () => {
      change();
      await expectBoth(tree as Record<string, string>);
    });

    it('are logged when they came while no daemon ran', async () => {
      await bench.close();
      change();
      await bench.start();
      await expectBoth(tree as Record<string, string>);
    });

    it('are logged when a killed daemon had logged only the names', async () => {
      bench.keepRecords();
      change();
      bench.volume.onLog = ({ op }) => {
        if (op === 'store') throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
      };
      await bench.folder.scan();
      await bench.crash();
      bench.volume.onLog = () => undefined;
      await bench.start();
      await expectBoth(tree as Record<string, string>);
    });
  },
);

it('a rename alone is logged without contents', async () => {
  await bench.other.write('a', 'both');
  await bench.start();
  bench.told();
  rename('a', 'b');
  await expectBoth({ b: 'both' });
  rename('b', 'c');
  await bench.close();
  await bench.start();
  await expectBoth({ c: 'both' });
  expect(bench.told().filter((line) => !line.startsWith('setattr'))).toEqual([
    'rename a -> b',
    'rename b -> c',
  ]);
});

describe('contents that the folder overwrites', () => {
  const values = async (): Promise<string[]> => {
    await bench.settled();
    return Object.values(bench.volume.tree()).sort();
  };

  beforeEach(async () => {
    await bench.other.write('a', 'both');
    // A look at the disk is not what finds them.
    bench.limits = { ...bench.limits, settle: minutes(60), rest: minutes(60), late: minutes(60) };
    await bench.start();
    rewrite('a', 'ours');
  });

  const look = async (): Promise<void> => {
    await bench.close();
    bench.limits = { ...bench.limits, settle: milliseconds(40), late: milliseconds(0) };
    await bench.start();
  };

  it("never include another device's version that was not seen", async () => {
    await bench.other.write('a', 'theirs');
    await bench.until(() => bench.folder.unsettled().paths > 0);
    await look();
    expect(await values()).toEqual(['ours', 'theirs']);
  });

  it('never include a removal that was not seen', async () => {
    bench.other.remove('a');
    await bench.until(() => bench.folder.unsettled().paths > 0);
    await look();
    expect(await values()).toEqual(['ours']);
  });

  it('never include another file under the name that was not seen', async () => {
    await bench.other.write('b', 'theirs');
    bench.other.rename('b', 'a');
    await bench.until(() => bench.folder.unsettled().paths > 0);
    await look();
    expect(await values()).toEqual(expect.arrayContaining(['ours', 'theirs']));
  });

  it('are not sent again for a second name, which changes the change time', async () => {
    bench.other.link('a', 'c');
    await bench.until(() => 'c' in bench.tree());
    await look();
    expect(await values()).toEqual(['ours', 'ours']);
  });
});

it('a write into a file just as another version replaces it is not lost', async () => {
  await bench.other.write('a', 'both');
  await bench.start();
  const file = openSync(bench.path('a'), 'r+');
  const { mtimeNs } = lstatSync(bench.path('a'), { bigint: true });
  await bench.other.write('a', 'theirs');
  await bench.settled();
  writeSync(file, 'late');
  closeSync(file);
  const [kept] = readdirSync(bench.path('.godwit', 'late'));
  host.setMtime(bench.path('.godwit', 'late', kept ?? ''), mtimeNs);
  await bench.close();
  bench.limits = { ...bench.limits, late: milliseconds(0) };
  await bench.start();
  await bench.volume.until(() => Object.values(bench.volume.tree()).includes('late'));
  expect(bench.volume.tree()).toMatchObject({ a: 'theirs' });
});
