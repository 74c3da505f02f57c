/** What is written through a name outside of the folder, which no watch tells. */
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { FolderBench } from '../../../../test/support/folder-bench.ts';
import { milliseconds } from '../../../../shared/model/time.ts';
import { makeFid, rootOf, type Fid, type VolumeId } from '../../../../shared/model/fid.ts';
import { mtimeFromMs, type DataVersion, type VnodeKind } from '../../../../shared/model/vnode.ts';
import { stampOf, type DiskFacts, type DiskStamp } from '../disk/disk-facts.ts';
import { FolderEvents } from '../folder-events.ts';
import { FolderRecords, type VnodeRecord } from '../records/folder-records.ts';
import { OutsideLinks } from './outside-links.ts';

const ROOT = rootOf(1 as VolumeId);

let bench: FolderBench;

beforeEach(() => {
  bench = new FolderBench();
  bench.limits = { ...bench.limits, outsideLook: milliseconds(20) };
  mkdirSync(bench.root);
});

afterEach(() => bench.destroy());

const outside = (name: string): string => join(bench.dir, `outside-${name}`);
const shows = (text: string): Promise<void> =>
  bench.volume.until(() => Object.values(bench.volume.tree()).includes(text));

it.each<[string, () => void | Promise<void>]>([
  ['was there when the daemon began', () => undefined],
  [
    'was made later',
    async () => {
      rmSync(outside('a'));
      await bench.settled();
      linkSync(bench.path('a'), outside('a'));
    },
  ],
  ['has gone elsewhere', () => renameSync(outside('a'), outside('b'))],
])('a change through an outside hard link is seen when the link %s', async (_, then) => {
  writeFileSync(bench.path('a'), 'one');
  linkSync(bench.path('a'), outside('a'));
  await bench.start();
  await then();
  await bench.settled();
  appendFileSync(existing(), ' and two');
  await shows('one and two');
  appendFileSync(existing(), ' and three');
  await shows('one and two and three');
});

/** The name outside that there is. */
function existing(): string {
  return existsSync(outside('b')) ? outside('b') : outside('a');
}

it('a change through an outside hard link is seen when the file comes with its link', async () => {
  await bench.start();
  writeFileSync(outside('a'), 'one');
  linkSync(outside('a'), bench.path('a'));
  await shows('one');
  await bench.settled();
  appendFileSync(outside('a'), ' and two');
  await shows('one and two');
});

it('each look checks some outside links and continues with the others', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const asked: string[] = [];
  const hinted: string[] = [];
  const facts = (name: string): DiskFacts => ({
    ...{ kind: 'file', inode: name, size: 1, mode: 0o644, links: 2, target: null },
    ...{ mtime: mtimeFromMs(1), ctime: name === 'd' ? '2' : '1' },
  });
  const events = new FolderEvents();
  events.on('pathChanged', (path) => hinted.push(path));
  const records = new FolderRecords(ROOT);
  records.put(recordOf(ROOT, 'directory', null));
  const links = new OutsideLinks({
    records,
    root: {
      factsOrNull: (path) => {
        const name = path.at(-1) ?? '';
        asked.push(name);
        return facts(name);
      },
    },
    events,
  });
  for (const [at, name] of names.entries()) {
    const fid = makeFid(1, at + 2, 1);
    records.put(recordOf(fid, 'file', { ...stampOf(facts(name)), ctime: '1' }));
    records.link({ dir: ROOT, name }, fid, false);
    links.found(facts(name));
  }
  for (let look = 0; look < 5; look++) links.look(2);
  expect(asked).toEqual([...names, ...names]);
  expect(hinted).toEqual(['d', 'd']);
  records.unlink({ dir: ROOT, name: 'a' });
  records.link({ dir: ROOT, name: 'second' }, makeFid(1, 3, 1), false);
  links.look(5);
  asked.length = 0;
  links.look(5);
  // One has gone, all names of another are in the folder.
  expect(asked).toEqual(['c', 'd', 'e']);
});

function recordOf(fid: Fid, kind: VnodeKind, disk: DiskStamp | null): VnodeRecord {
  const about = { digest: null, size: 0, mode: 0o644, mtime: mtimeFromMs(1), target: null };
  return { fid, kind, version: 1 as DataVersion, ...about, xattrs: [], disk };
}
