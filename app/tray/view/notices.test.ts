import { beforeEach, describe, expect, it } from '@jest/globals';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { IDLE } from '../../../test/support/fake-daemon.ts';
import type { NoticeKind } from './appearance.ts';
import { LONG_WAIT_HOURS, Notices } from './notices.ts';

const HOUR = 3_600_000;
const conflict = (id: number) => ({ id, when: '', path: `doc-${id}`, copy: 'c', kind: 'contents' });
const error = (code: string) => ({ code, message: `${code} it is`, remedy: 'do this', path: null });

let notices: Notices;
beforeEach(() => {
  notices = new Notices();
});

const look = (change: Partial<StatusSnapshot>, now = 0): string[] =>
  notices.look({ ...IDLE, ...change }, now).map(({ title, body }) => `${title}: ${body}`);

describe('the notices of the tray', () => {
  it('report new conflicts once, and earlier ones not at all', () => {
    expect(look({ conflicts: [conflict(1)] })).toEqual([]);
    const two = { conflicts: [conflict(1), conflict(2)] };
    expect(look(two)).toEqual(['Godwit: 1 new conflict: Both sides of doc-2 were kept']);
    expect(look(two)).toEqual([]);
    expect(look({ conflicts: [conflict(3), conflict(4)] })[0]).toMatch(/^Godwit: 2 new conflicts/);
  });

  it('are made of no kind that is turned off, nor later of what came meanwhile', () => {
    const much = {
      conflicts: [conflict(1)],
      errors: [error('disk-full')],
      manyRemoved: { since: '2026-01-01T00:00:00Z', files: 200 },
      installed: '9.9.9',
    };
    look({});
    const told = (silent: readonly NoticeKind[]): string[] =>
      new Notices().look({ ...IDLE, ...much }, 0, silent).map(({ kind }) => kind);
    expect([told([]), told(['removals']), told(['needs', 'updates'])]).toEqual([
      ['needs', 'removals', 'updates'],
      ['needs', 'updates'],
      ['removals'],
    ]);
    expect(notices.look({ ...IDLE, ...much }, 0, ['conflicts', 'needs'])).toHaveLength(2);
    expect(look(much)).toEqual([]);
  });

  it('report an error once while it lasts, and again when it returns', () => {
    const full = { errors: [error('disk-full')] };
    expect(look(full)).toEqual(['Godwit needs you: disk-full it is. do this']);
    expect(look(full)).toEqual([]);
    expect(look({})).toEqual([]);
    expect(look(full)).toHaveLength(1);
  });

  it('report several simultaneous errors with one sentence for each', () => {
    const both = [error('disk-full'), error('over-quota'), error('disk-full')];
    expect(look({ errors: both })).toEqual([
      'Godwit needs you: disk-full it is. do this',
      'Godwit: the quota is used up: over-quota it is. do this',
    ]);
    expect(look({ errors: both })).toEqual([]);
  });

  it('report a full quota and no notes', () => {
    expect(look({ errors: [error('over-quota'), error('put-aside')] })[0]).toMatch(
      /^Godwit: the quota/,
    );
    expect(look({ errors: [error('put-aside')] })).toEqual([]);
  });

  it('report an update that does not run yet once', () => {
    const [notice, ...rest] = look({ version: '1.0.0', installed: '1.1.0' });
    expect(notice).toMatch(
      /^Godwit was updated: Godwit 1\.1\.0 is installed, and 1\.0\.0 still runs/,
    );
    expect([rest, look({ version: '1.0.0', installed: '1.1.0' }), look({})]).toEqual([[], [], []]);
    expect(look({ version: '1.0.0', installed: '1.2.0' })).toHaveLength(1);
  });

  it('report changes that wait for hours once', () => {
    const { data } = IDLE.queues;
    const waiting = { queues: { metadata: data, data: { ...data, updates: 3 } } };
    expect(look(waiting, 0)).toEqual([]);
    expect(look(waiting, LONG_WAIT_HOURS * HOUR - 1)).toEqual([]);
    expect(look(waiting, LONG_WAIT_HOURS * HOUR)).toEqual([
      'Godwit: changes have been waiting for a long time: 3 changes not sent for 4 hours',
    ]);
    expect(look(waiting, 9 * HOUR)).toEqual([]);
    expect(look({}, 10 * HOUR)).toEqual([]);
    expect(look(waiting, 11 * HOUR)).toEqual([]);
    expect(look(waiting, 15 * HOUR)).toHaveLength(1);
  });

  it('report a burst of removals once', () => {
    const since = '2026-01-02T03:04:05Z';
    const gone = (files: number) => ({ manyRemoved: { files, since } });
    expect(look(gone(100))).toEqual([
      'Godwit: 100 files were removed: Was that meant? They can be brought back.',
    ]);
    expect(look(gone(1593))).toEqual([]);
    expect(look({})).toEqual([]);
    expect(look({ manyRemoved: { files: 120, since: '2026-01-02T09:00:00Z' } })).toHaveLength(1);
  });

  it('report once what another laptop removed, with its name', () => {
    const one = { device: 2, volume: 'home', since: '2026-01-02T03:04:05Z', from: 7, to: 9 };
    const gone = (files: number) => ({ othersRemoved: [{ ...one, by: 'laptop-b', files }] });
    expect(look(gone(100))).toEqual([
      'Godwit: 100 files were removed on laptop-b: Was that meant? They can be brought back.',
    ]);
    expect(look(gone(1593))).toEqual([]);
    const { othersRemoved } = gone(200);
    const other = { ...one, by: null, files: 10, from: 70 };
    expect(look({ othersRemoved: [...othersRemoved, other] })).toEqual([
      'Godwit: 10 files were removed on another laptop: Was that meant? They can be brought back.',
    ]);
  });

  it('report a laptop that joins, and none that was there at first', () => {
    const device = (number: number, name: string) => ({
      device: number,
      name,
      since: '2026-01-02T03:04:05Z',
      joined: new Date(1000).toISOString(),
    });
    const [known, fresh] = [device(2, 'laptop-b'), device(3, 'laptop-c')];
    expect(look({ devices: [known] }, HOUR)).toEqual([]);
    expect(look({ devices: [fresh, known] })).toEqual([
      'Godwit: a new laptop joined: laptop-c sees your files now. Was that not you? The window says how to refuse it.',
    ]);
    expect(look({ devices: [fresh, known] })).toEqual([]);
    notices = new Notices();
    expect(look({ devices: [known] }, 60_000)).toHaveLength(1);
    expect(look({ devices: [known, fresh, device(4, 'laptop-d')] })).toEqual([
      'Godwit: 2 new laptops joined: laptop-c, laptop-d see your files now. Was one not you? The window says how to refuse it.',
    ]);
  });

  it('report no single file', () => {
    const recent = [{ volume: 'home', path: 'a', how: 'sent', when: '' }] as const;
    expect(look({ recent, state: 'syncing' })).toEqual([]);
  });
});
