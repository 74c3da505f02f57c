/** Directories of the folder in which other volumes are kept. */
import { describe, expect, it } from '@jest/globals';
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import type { DataVersion, Mtime } from '../../../../shared/model/vnode.ts';
import { FolderRecords } from './folder-records.ts';
import { MountPoints, type MountPoint } from './mount-points.ts';

const ROOT = '1.1.1' as Fid;
const DESK = '1.2.1' as Fid;
const TEAM = '1.3.1' as Fid;
const OWN = '1.4.1' as Fid;
const DEEP = '1.5.1' as Fid;
const OTHER = '1.6.1' as Fid;

/** `desk/team` shows the second volume. */
function records(): FolderRecords {
  const made = new FolderRecords(ROOT);
  const put = (fid: Fid, target: string | null): void =>
    made.put({
      ...{ fid, kind: 'directory', version: 1 as DataVersion, digest: null, size: 0, mode: 0o755 },
      ...{ mtime: '1' as Mtime, target, xattrs: [], disk: null },
    });
  put(ROOT, null);
  put(DESK, null);
  put(TEAM, '2');
  made.link({ dir: ROOT, name: 'desk' }, DESK, false);
  made.link({ dir: DESK, name: 'team' }, TEAM, false);
  return made;
}

function keeper(isKept = true) {
  const asked: MountPoint[] = [];
  const mustLeave = (mount: MountPoint): void => void asked.push(mount);
  const none = {
    hasElsewhere: () => false,
    standsElsewhere: () => 'nowhere' as const,
    heardElsewhere: () => Promise.resolve(),
    leaveWhenBare: mustLeave,
  };
  return { asked, isKept: () => isKept, mustLeave, ...none };
}

describe('mount points of a folder', () => {
  it('are known by their paths, with their volumes, until their records go', () => {
    const made = records();
    const points = new MountPoints(made, keeper());
    expect(points.here()).toEqual([{ fid: TEAM, volume: 2 as VolumeId, path: ['desk', 'team'] }]);
    made.unlink({ dir: DESK, name: 'team' });
    expect(points.here()).toEqual([]);
  });

  it('are borders: what is beneath is of another volume, and the directory itself is not', () => {
    const points = new MountPoints(records(), keeper());
    expect(points.isBeneath(['desk', 'team', 'doc'])).toBe(true);
    expect(points.isBeneath(['desk', 'team'])).toBe(false);
    expect(points.isBeneath(['desk', 'teams', 'doc'])).toBe(false);
    expect(points.isAt(['desk', 'team'])).toBe(true);
  });

  it('are for nobody here to change, with all directories in them', () => {
    const points = new MountPoints(records(), keeper());
    const dirs = [['desk', 'team'], ['desk', 'team', 'dir'], ['desk'], ['desk', 'teams']];
    expect(dirs.map((dir) => points.isOthers(dir))).toEqual([true, true, false, false]);
  });

  it('forget what is recorded beneath when their volumes are about to be kept, and nothing else', () => {
    const made = records();
    for (const [fid, dir, name] of [
      [OWN, TEAM, 'own'],
      [DEEP, OWN, 'deep'],
      [OTHER, DESK, 'other'],
    ] as const) {
      made.put({
        ...{ fid, kind: 'directory', version: 1 as DataVersion, digest: null, size: 0 },
        ...{ mode: 0o755, mtime: '1' as Mtime, target: null, xattrs: [], disk: null },
      });
      made.link({ dir, name }, fid, true);
    }
    expect(new MountPoints(made, keeper(false)).forgetBeneath(TEAM)).toBe(0);
    const points = new MountPoints(made, keeper());
    expect([points.forgetBeneath(DESK), points.forgetBeneath(TEAM)]).toEqual([0, 1]);
    expect([OWN, DEEP, OTHER, TEAM].map((fid) => made.has(fid))).toEqual([
      ...[false, false],
      ...[true, true],
    ]);
    expect(points.forgetBeneath(TEAM)).toBe(0);
  });

  it('are plain directories if their volumes are not kept', () => {
    for (const points of [
      new MountPoints(records(), null),
      new MountPoints(records(), keeper(false)),
    ]) {
      expect(points.isBeneath(['desk', 'team', 'doc'])).toBe(false);
      expect(points.isKept(TEAM)).toBe(false);
      expect(points.isInUse(TEAM)).toBe(false);
    }
  });

  it('ask whoever keeps the volume to leave when they are to go', () => {
    const who = keeper();
    const points = new MountPoints(records(), who);
    expect(points.isInUse(DESK)).toBe(false);
    expect(points.isInUse(TEAM)).toBe(true);
    expect(who.asked).toEqual([{ fid: TEAM, volume: 2 }]);
  });
});
