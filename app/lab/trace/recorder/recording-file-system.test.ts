import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rootOf, type Fid, type VolumeId } from '../../../../shared/model/fid.ts';
import type { FileSystem } from '../../../../shared/ports/file-system.ts';
import { FakeVolume } from '../../../../test/support/fake-volume.ts';
import { faultsIn, stillRecorder } from '../../../../test/support/still-recorder.ts';
import type { Recorder } from './recorder.ts';

const root = rootOf(1 as VolumeId);

let folder: string;
let inner: FakeVolume;
let recorder: Recorder;
let fs: FileSystem;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-record-'));
  inner = new FakeVolume(folder);
  recorder = stillRecorder();
  fs = recorder.over(inner, { pid: 7, program: 'ed' });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** `OP [FID] [DIR/NAME] [-> DIR/NAME] [LENGTH] [FLAGS]`. */
async function recorded(work: () => Promise<unknown>): Promise<string[]> {
  const { recording } = recorder.begin();
  await work();
  return recorder.end(recording, 0).records.map((record) => {
    expect(faultsIn([record])).toEqual([]);
    expect(record).toMatchObject({ pid: 7, program: 'ed' });
    const { op, fid, dir, path, toDir, to, length, flags } = record;
    const place = path === undefined ? [] : [`${dir}/${path}`];
    const target = to === undefined ? [] : ['->', toDir === undefined ? to : `${toDir}/${to}`];
    const size = length === undefined ? [] : [`${length}`];
    return [
      op,
      ...(fid === undefined ? [] : [fid]),
      ...place,
      ...target,
      ...size,
      ...(flags ?? []),
    ].join(' ');
  });
}

async function make(name: string): Promise<Fid> {
  return (await inner.create(root, name, { mode: 0o644 })).fid;
}

describe('the recording file system', () => {
  it('records names: lookups, creations, moves and removals', async () => {
    const lines = await recorded(async () => {
      const { fid } = await fs.create(root, 'a', { mode: 0o644, observed: true });
      await fs.lookup(root, 'a');
      await fs.getattr(fid);
      await fs.mkdir(root, 'd', { mode: 0o755 });
      await fs.readdir(root);
      await fs.rename({ dir: root, name: 'a' }, { dir: root, name: 'b' });
      await fs.setattr(fid, { mode: 0o600 });
      await fs.remove({ dir: root, name: 'b' }, { observed: null });
      await fs.rmdir({ dir: root, name: 'd' });
      await fs.volumes();
    });
    expect(lines).toEqual([
      'create 1.2.1 1.1.1/a observed',
      'close 1.2.1',
      'getattr 1.2.1 1.1.1/a',
      'getattr 1.2.1',
      'mkdir 1.3.1 1.1.1/d',
      'readdir 1.1.1 directory',
      'rename 1.1.1/a -> 1.1.1/b',
      'setattr 1.2.1',
      'remove 1.1.1/b observed',
      'rmdir 1.1.1/d',
    ]);
  });

  it('records opens for reading as whole reads, and closes after a write as writes', async () => {
    const fid = await make('a');
    const lines = await recorded(async () => {
      const written = await fs.open(fid, { mode: 'write', truncate: true });
      await fs.close(written.handle, { size: 5 });
      const read = await fs.open(fid, { mode: 'read' });
      await fs.close(read.handle, null);
      const dropped = await fs.open(fid, { mode: 'write', truncate: false });
      await fs.abandon(dropped.handle);
    });
    expect(lines).toEqual([
      `open ${fid} write truncate whole`,
      expect.stringMatching(`^write ${fid} \\d+ whole$`),
      `close ${fid}`,
      `open ${fid} read whole`,
      expect.stringMatching(`^read ${fid} \\d+ whole$`),
      `close ${fid}`,
      `open ${fid} write whole`,
      `close ${fid} abandoned`,
    ]);
  });

  it('records a file that is made and opened in one call as made, and its close', async () => {
    const lines = await recorded(async () => {
      const { handle } = await fs.createOpen(root, 'a', { mode: 0o644 });
      await fs.close(handle, { size: 5 });
    });
    expect(lines).toEqual([
      'create 1.2.1 1.1.1/a',
      expect.stringMatching(/^write 1\.2\.1 \d+ whole$/),
      'close 1.2.1',
    ]);
  });

  it('records refused calls, which stay refused', async () => {
    const lines = await recorded(async () => {
      await expect(fs.lookup(root, 'none')).rejects.toMatchObject({ code: 'not-found' });
      await make('a');
      await expect(fs.create(root, 'a', { mode: 0o644 })).rejects.toMatchObject({ code: 'exists' });
    });
    expect(lines).toEqual(['getattr 1.1.1/none not-found', 'create 1.1.1/a failed']);
  });

  it('does not record the close of a file that was opened before', async () => {
    const fid = await make('a');
    const file = await fs.open(fid, { mode: 'write', truncate: true });
    expect(await recorded(() => fs.close(file.handle, {}))).toEqual([]);
  });
});

it('the recording file system returns the inner answer while nobody records', () => {
  const answer = inner.volumes();
  inner.getattr = () => answer as never;
  expect(fs.getattr(root)).toBe(answer);
});
