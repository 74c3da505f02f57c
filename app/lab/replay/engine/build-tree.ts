/** Puts what was there before a trace on the server, with its file groups, through a laptop that is near it. */
import type { Fid } from '../../../../shared/model/fid.ts';
import type { TraceGroup } from '../../trace/trace-line.ts';
import { GroupFiles } from '../../../../shared/group/group-files.ts';
import type { ReplayPlan } from '../plan/replay-plan.ts';
import type { ReplayLaptop } from './replay-world.ts';
import { mtimeOfStamp } from './stamps.ts';

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
/** Files made side by side: enough for group commits to fill. */
const AT_ONCE = 16;
/** Stamps of a replay are counted from 1 on; files of the tree differ by these. */
const TREE_STAMPS = -1;

export interface TreeProgress {
  readonly done: number;
  readonly of: number;
}

/** Resolves when all of it is committed. Rejects with what the port says, such as `bad-name` (of a group, too) or `disk-full`. */
export async function buildTree(
  near: ReplayLaptop,
  { tree, groups }: Pick<ReplayPlan, 'tree' | 'groups'>,
  onProgress: (progress: TreeProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const { fs } = near;
  const dirs = new Map<string, Fid>([['', near.root]]);
  const parentOf = (path: string): Fid =>
    dirs.get(path.slice(0, path.lastIndexOf('/'))) ?? near.root;
  const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
  for (const { path, kind } of tree) {
    if (kind !== 'directory') continue;
    signal.throwIfAborted();
    const { fid } = await fs.mkdir(parentOf(path), nameOf(path), { mode: FOLDER_MODE });
    dirs.set(path, fid);
  }
  const made = new Map<string, Fid>();
  const files = tree.filter(({ kind }) => kind === 'file');
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    for (let file = files[next]; file !== undefined; file = files[next]) {
      const number = next;
      next += 1;
      signal.throwIfAborted();
      const { path, size } = file;
      const { fid } = await fs.create(parentOf(path), nameOf(path), { mode: FILE_MODE });
      made.set(path, fid);
      const opened = await fs.open(fid, { mode: 'write', truncate: true });
      const edits = size === 0 ? [] : [{ kind: 'write', offset: 0, length: size } as const];
      await near.change(opened.path, edits, TREE_STAMPS - number);
      await fs.close(opened.handle, { mtime: mtimeOfStamp(0) });
      done += 1;
      onProgress({ done, of: files.length });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await makeGroups(near, groups, made, signal);
  await near.flush();
}

/** In their order, as the trace has them; of what was not there before nothing can be fetched ahead. */
async function makeGroups(
  { fs, root, texts }: ReplayLaptop,
  groups: readonly TraceGroup[],
  made: ReadonlyMap<string, Fid>,
  signal: AbortSignal,
): Promise<void> {
  const all = new GroupFiles(fs, root, texts);
  for (const { name, members } of groups) {
    signal.throwIfAborted();
    const files = [...new Set(members)].flatMap((path) => made.get(path) ?? []);
    await all.create(name, { kind: 'chosen', files });
  }
}
