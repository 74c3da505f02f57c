/**
 * Real processes: what is done to a large file while it is sent. It is read from the folder for as long as it is untouched there; whatever becomes
 * of it, what the server commits is what was closed, whole, and what there is now comes after it.
 */
import { createCipheriv } from 'node:crypto';
import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { parseHostPort } from '../../shared/control/addresses.ts';
import { readControlFile } from '../../shared/control/control-file.ts';
import type { VersionsReport } from '../../shared/control/history.ts';
import { CLEAR, type Conditions } from '../../app/lab/shaper/conditions.ts';
import { UdpRelay } from '../../app/lab/shaper/udp-relay.ts';
import { endProcess } from '../support/bench.ts';
import { TwoLaptops } from '../support/two-laptops.ts';

/** The file is so long that its copy does not stay in memory. */
const SIZE = 40 * 1024 * 1024;
const BEGUN = 4 * 1024 * 1024;
/** A network on which the file takes some seconds. */
const SLOW: Conditions = { ...CLEAR, rate: [{ atMs: 0, bytesPerSecond: 16e6 }] };

const bench = new TwoLaptops();
const { a, b } = bench;
let line: UdpRelay;

beforeAll(() =>
  bench.begin(async (address) => {
    const own = await UdpRelay.open({ to: parseHostPort(address, '127.0.0.1') });
    line ??= own;
    return own.address;
  }),
);
beforeEach(() => line.change({ up: SLOW }));
afterAll(async () => {
  await bench.close();
  line.close();
});

/** Random bytes. */
function noise(kind: number): Buffer {
  return createCipheriv('aes-128-ctr', Buffer.alloc(16, kind), Buffer.alloc(16)).update(
    Buffer.alloc(SIZE),
  );
}

const inA = (name: string): string => join(a.folder, name);

/**
 * Resolves when some of the new file is on the line. It comes into the folder whole: where the disk keeps a writer waiting, what is
 * there of a file by then is a version of its own.
 */
async function sending(name: string, bytes: Buffer): Promise<void> {
  const made = bench.path(name);
  writeFileSync(made, bytes);
  const passed = line.passed('up', BEGUN);
  renameSync(made, inA(name));
  await passed;
}

/** Checks that everything is committed and shown, and that the version which was sent first is complete in the history. */
async function expectSent(name: string, bytes: Buffer): Promise<void> {
  line.change({ up: CLEAR });
  await bench.flush(a, b);
  expect(bench.differences()).toEqual([]);
  const report = await bench.json(['versions', name, '--data', b.data]);
  const { versions } = report as unknown as VersionsReport;
  const first = versions.filter(({ size }) => size === bytes.length).at(-1);
  const at = ['--version', String(first?.number), '--to', `${name} before`];
  await bench.json(['restore', name, ...at, '--data', b.data]);
  await bench.flush(b);
  expect(readFileSync(join(b.folder, `${name} before`)).equals(bytes)).toBe(true);
}

/** Overwrites bytes in the part that is not sent yet. */
function overwrite(name: string): void {
  const file = openSync(inA(name), 'r+');
  writeSync(file, 'other bytes', SIZE - 1000);
  closeSync(file);
}

it.each<[string, (name: string) => void]>([
  ['written in place', overwrite],
  ['shortened', (name) => truncateSync(inA(name), 100)],
  ['removed', (name) => rmSync(inA(name))],
  ['renamed', (name) => renameSync(inA(name), inA(`${name} elsewhere`))],
  [
    'replaced',
    (name) => {
      writeFileSync(inA('.new'), 'quite another');
      renameSync(inA('.new'), inA(name));
    },
  ],
])(
  'a large file that is %s during its upload is sent as it was when it was closed',
  async (name, change) => {
    const bytes = noise(name.length);
    await sending(name, bytes);
    change(name);
    await expectSent(name === 'renamed' ? 'renamed elsewhere' : name, bytes);
  },
);

it('a large file that is changed while its killed daemon is down is sent as it was closed', async () => {
  const bytes = noise(1);
  await sending('killed', bytes);
  line.cut();
  await endProcess(readControlFile(a.data)?.pid as number, 'SIGKILL');
  overwrite('killed');
  line.restore();
  await bench.json(['up', '--data', a.data]);
  await expectSent('killed', bytes);
  expect(readFileSync(inA('killed')).subarray(-1000, -989).toString()).toBe('other bytes');
});
