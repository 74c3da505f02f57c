/** Groups inferred from a trace: what the same processes opened more than once, as far as it is in a volume. */
import type { SuggestedGroup } from '../../../../shared/control/groups.ts';
import { groupOf } from '../../../../shared/model/file-group.ts';
import { isFid, volumeOf, type Fid } from '../../../../shared/model/fid.ts';
import type { Attributes, FileSystem } from '../../../../shared/ports/file-system.ts';
import { fileOf, ProcessSpells, type TracedFile } from '../process-spells.ts';
import type { TraceRecord } from '../record.ts';
import { usedTogether } from '../../../../shared/util/used-together.ts';
import { findPath } from '../../../cli/volume-tree.ts';
import { opened } from './trace-input.ts';
import { filesBelow } from '../../../../shared/group/files-below.ts';

/** As of what the daemon has seen itself: two are found by a person as fast. */
const LEAST_TOGETHER = 3;

interface InVolume {
  readonly fileSystem: FileSystem;
  readonly root: Fid;
  readonly volume: string;
  /** The path in the trace that the root of the volume has, without a slash at its end. */
  readonly below: string;
}

/**
 * Suggests file groups from a trace, of files that are in the volume. Throws GodwitError
 * `bad-trace` for a file that is no trace.
 */
export async function suggestFrom(file: string, where: InVolume): Promise<SuggestedGroup[]> {
  const { records } = await opened(file, {});
  return suggestFromTrace(records(), where);
}

async function suggestFromTrace(
  records: AsyncIterable<TraceRecord>,
  where: InVolume,
): Promise<SuggestedGroup[]> {
  const spells = new ProcessSpells();
  for await (const record of records) spells.add(record);
  const fids = new Map<string, Fid | null>();
  for (const key of new Set(spells.spells.flatMap((spell) => [...spell]))) {
    fids.set(key, await fidOf(fileOf(key), where));
  }
  const found = spells.spells.map(
    (spell) => new Set([...spell].flatMap((key) => fids.get(key) ?? [])),
  );
  const clusters = usedTogether(found, { least: LEAST_TOGETHER, apart: () => '' });
  const paths = clusters.length === 0 ? new Map<Fid, string>() : await pathsIn(where);
  return clusters.map(({ things, times }) => ({
    volume: where.volume,
    files: things.map((fid) => ({ fid, path: paths.get(fid) ?? null })),
    times,
  }));
}

/** null: it is not in the volume any more, or never was; or it has a group. */
async function fidOf(file: TracedFile, { fileSystem, root, below }: InVolume): Promise<Fid | null> {
  let found: Attributes;
  try {
    if ('fid' in file) {
      if (!isFid(file.fid) || volumeOf(file.fid) !== volumeOf(root)) return null;
      found = await fileSystem.getattr(file.fid);
    } else {
      if (!file.path.startsWith(`${below}/`)) return null;
      const names = file.path.slice(below.length + 1).split('/');
      found = await findPath(fileSystem, root, names, false);
    }
  } catch (error) {
    if (NOT_THERE.has((error as { code?: unknown }).code)) return null;
    throw error;
  }
  return found.kind === 'file' && groupOf(found) === null ? found.fid : null;
}

const NOT_THERE: ReadonlySet<unknown> = new Set(['not-found', 'not-a-directory', 'bad-name']);

async function pathsIn({ fileSystem, root }: InVolume): Promise<Map<Fid, string>> {
  const paths = new Map<Fid, string>();
  for await (const { path, attributes } of filesBelow(fileSystem, root, [])) {
    if (!paths.has(attributes.fid)) paths.set(attributes.fid, `/${path.join('/')}`);
  }
  return paths;
}
