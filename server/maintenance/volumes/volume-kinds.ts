/** Which volumes are somebody's home, and which several people share: figures of use are told by that, since they have no names. */
import type { VolumeKind } from '../../../shared/control/server-statistics.ts';
import type { VolumeId } from '../../../shared/model/fid.ts';
import type { Sqlite } from '../../../shared/sqlite/database.ts';

const LIST =
  'SELECT volume.id, (SELECT count(*) FROM access JOIN user ON user.id = access.user' +
  ' WHERE access.volume = volume.id AND user.removed_ms IS NULL) AS people,' +
  ' EXISTS (SELECT 1 FROM user WHERE user.home = volume.id AND user.removed_ms IS NULL) AS isHome' +
  ' FROM volume WHERE volume.removed_ms IS NULL';

/** The kind of each volume that is in use. One that several people may see is shared, also if it is the home of one of them. */
export function volumeKinds(database: Sqlite): Map<VolumeId, VolumeKind> {
  const rows = database.prepare<[], { id: VolumeId; people: number; isHome: number }>(LIST).all();
  return new Map(
    rows.map(({ id, people, isHome }) => {
      if (people > 1) return [id, 'shared'];
      return [id, isHome === 1 ? 'home' : 'single'];
    }),
  );
}
