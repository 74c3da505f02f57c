/** What of a folder comes back: what can't be read of one thing keeps back nothing else, and the report is in the order of paths. */
import { expect, it } from '@jest/globals';
import { makeFid, rootOf, type VolumeId } from '../../../shared/model/fid.ts';
import type { Moment, PastName } from '../../../shared/model/history.ts';
import { wallTime } from '../../../shared/model/time.ts';
import { commitNumber } from '../../../shared/model/vnode.ts';

import type { FileSystem } from '../../../shared/ports/file-system.ts';
import type { History } from '../../../shared/ports/history.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { attributesOf, statusOf } from '../../../test/support/observations.ts';
import { Restoring, type PointedOrder } from './restore.ts';

const ROOT = rootOf(1 as VolumeId);
const NAMES = ['a', 'b', 'c', 'd'];
const ORDER: PointedOrder = { path: [], version: null, at: null, to: null };
const AWAY = new GodwitError('not-connected', 'the server is away');

const moment = (commit: number): Moment => ({
  commit: commitNumber(commit),
  when: wallTime(commit * 1000),
  device: 7,
  deviceName: 'ada',
});

/** Of `b` another name may be left, which is to be asked. */
const removed: readonly PastName[] = NAMES.map((name, index) => ({
  ...{ name, fid: makeFid(1, index + 2, 1), since: moment(1), until: moment(9) },
  status: statusOf({ digest: null, links: name === 'b' ? 2 : 1 }),
  ended: name !== 'b',
}));

function ports() {
  const made: string[] = [];
  const history: Partial<History> = {
    names: () => Promise.resolve({ names: removed, more: false }),
    versions: () => Promise.resolve({ versions: [], more: false }),
    placesOf: () => [],
  };
  const fileSystem: Partial<FileSystem> = {
    getattr: () => Promise.reject(AWAY),
    lookup: () => Promise.reject(new GodwitError('not-found', 'it is gone')),
    // The first takes longest.
    create: async (_, name) => {
      for (let turn = NAMES.indexOf(name); turn < NAMES.length; turn++) await Promise.resolve();
      made.push(name);
      return attributesOf();
    },
  };
  return { made, history: history as History, fileSystem: fileSystem as FileSystem };
}

it.each<[string, PointedOrder]>([
  ['was there at a time', { ...ORDER, at: { when: wallTime(5000) } }],
  ['one device removed', { ...ORDER, removed: { device: 7, from: 9, to: 9 } }],
])(
  'a restore of what %s goes on where one thing can not be read, and reports in order',
  async (_, order) => {
    const { made, history, fileSystem } = ports();
    const report = await new Restoring(fileSystem, history, ROOT, order).run();
    expect(made.toSorted()).toEqual(['a', 'c', 'd']);
    expect(made).not.toEqual(made.toSorted());
    expect(report).toEqual({
      done: ['/a', '/c', '/d'].map((path) => ({ path, as: 'made', to: path })),
      failed: [{ path: '/b', code: 'not-connected', message: AWAY.message }],
    });
  },
);
