/**
 * Two brains, one truth: random operations are done to the addon's table and to a model of a few lines. Both give the same answers and the same
 * tree, and what the table logs makes the same tree of the model's, when it is read as Node reads it.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';
import { BUILD_LIMIT_MS, builtMount } from '../../../test/support/mount-addon.ts';
import type { NativeMount, NativeStatus } from './native-mount.ts';
import type { Operation } from './operations.ts';
import { MOUNTED, TreeModel, type Rights } from '../../../test/support/mount-tree-model.ts';

const SEEDS = 40;
const STEPS = 200;
const NAMES = ['a', 'b', 'c', 'm'];
/** The name at which the other volume is mounted in the beginning. */
const MOUNT = 'm';
const RIGHTS: readonly Rights[] = ['write', 'write', 'read', 'none'];
/** Of so many steps one changes the rights in the volume that is mounted. */
const RIGHTS_EVERY = 20;
const ROOT: NativeStatus = {
  ...{ key: '1.1.1', kind: 'directory', mode: 0o755, mtime: '0', size: 0, version: 1, links: 1 },
  xattrs: [],
};

let native: NativeMount;
beforeAll(() => {
  native = builtMount();
}, BUILD_LIMIT_MS);

function emptyTable(): number {
  const table = native.tableOpen(ROOT, 0);
  const status = { ...ROOT, key: MOUNTED.root, mount: MOUNTED.at };
  native.tableListed(table, ROOT.key, [{ name: MOUNT, status }], 0);
  native.tableListed(table, MOUNTED.root, [], 0);
  return table;
}

/** The server has said what may be done in the volume that is mounted: its mount point is told anew, and all that is in it where it is seen again. */
function tellRights(table: number, model: TreeModel, rights: Rights): void {
  model.rights(rights);
  native.tableRights(table, MOUNTED.volume, rights);
  const { dir, name, status } = model.mountPoint();
  native.tableName(table, dir, name, status, model.seq);
  if (rights === 'none') return;
  for (const [inner, entries] of model.listings()) {
    native.tableListed(table, inner, entries, model.seq);
  }
}

function drawn(random: SeededRandom): { op: string; args: string[] } {
  const name = (): string => random.pick(NAMES);
  const dir = (): string => random.pick(['', ...NAMES, ...NAMES.map((each) => `${each}/b`)]);
  const op = random.pick([
    ...['create', 'mkdir', 'mkdir', 'symlink', 'remove', 'rmdir', 'rename', 'rename', 'link'],
    'chmod',
  ]);
  if (op === 'rename' || op === 'link') return { op, args: [dir(), name(), dir(), name()] };
  if (op === 'symlink') return { op, args: [dir(), name(), 'target'] };
  if (op === 'chmod') return { op, args: [dir(), name(), random.pick(['600', '755'])] };
  return { op, args: [dir(), name()] };
}

describe('the table of the mount', () => {
  it('answers as the model does, and logs what makes the same tree', () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = new SeededRandom(seed);
      const table = emptyTable();
      const model = new TreeModel(MOUNT);
      const read = new TreeModel(MOUNT);
      for (let step = 0; step < STEPS; step++) {
        if (random.below(RIGHTS_EVERY) === 0) tellRights(table, model, random.pick(RIGHTS));
        const { op, args } = drawn(random);
        const said = native.tableDo(table, op, args);
        const where = `seed ${seed}, step ${step}: ${op} ${args.join(' ')}`;
        expect(`${where}: ${said}`).toBe(`${where}: ${model.do(op, args)}`);
        for (const line of native.tableTake(table)) read.apply(JSON.parse(line) as Operation);
      }
      tellRights(table, model, 'write');
      const tree = native.tableDump(table);
      expect(tree).toEqual(model.dump());
      expect(read.dump()).toEqual(tree);
      native.tableClose(table);
    }
  });

  it('keeps what was done later than the state that is pushed, and takes the rest', () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = new SeededRandom(seed);
      const table = emptyTable();
      const core = new TreeModel(MOUNT);
      const whole = new TreeModel(MOUNT);
      const waiting: Operation[] = [];
      let taken = 0;
      for (let step = 0; step < STEPS; step++) {
        const { op, args } = drawn(random);
        native.tableDo(table, op, args);
        for (const line of native.tableTake(table)) {
          const done = JSON.parse(line) as Operation;
          waiting.push(done);
          whole.apply(done);
        }
        for (const next of waiting.splice(0, random.below(3))) {
          core.apply(next);
          taken = next.seq;
        }
        // The core tells of any name in the root, as it has it.
        const name = random.pick(NAMES);
        native.tableName(table, ROOT.key, name, core.statusOf(name), taken);
        expect(native.tableDump(table)).toEqual(whole.dump());
      }
      for (const next of waiting) {
        core.apply(next);
        taken = next.seq;
      }
      for (const name of NAMES) {
        native.tableName(table, ROOT.key, name, core.statusOf(name), taken);
      }
      expect(native.tableDump(table)).toEqual(core.dump());
      native.tableClose(table);
    }
  });
});
