/** Directories of the folder in which other volumes are kept. */
import { describe, expect, it } from '@jest/globals';
import type { Fid, VolumeId } from '../../../../shared/model/fid.ts';
import type { DataVersion, Mtime } from '../../../../shared/model/vnode.ts';
import { FolderRecords } from './folder-records.ts';
import { MountPoints, type MountPoint } from './mount-points.ts';

const ROOT = '1.1.1' as Fid;
const DESK = '1.2.1' as Fid;
const TEAM = '1.3.1' as Fid;

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
  return { asked, isKept: () => isKept, mustLeave, hasElsewhere: () => false };
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
