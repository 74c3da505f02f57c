/**
 * Two brains, one truth: random operations are done to the addon's table and to a model of a few lines. Both give the same answers and the same
 * tree, and what the table logs makes the same tree of the model's, when it is read as Node reads it.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../../shared/util/seeded-random.ts';
import { BUILD_LIMIT_MS, builtMount } from '../../../test/support/mount-addon.ts';
import type { NativeMount, NativeStatus } from './native-mount.ts';
import type { Operation } from './operations.ts';
import { TreeModel } from '../../../test/support/mount-tree-model.ts';

const SEEDS = 40;
const STEPS = 200;
const NAMES = ['a', 'b', 'c'];
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
  native.tableListed(table, ROOT.key, [], 0);
  return table;
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
      const model = new TreeModel();
      const read = new TreeModel();
      for (let step = 0; step < STEPS; step++) {
        const { op, args } = drawn(random);
        const said = native.tableDo(table, op, args);
        const where = `seed ${seed}, step ${step}: ${op} ${args.join(' ')}`;
        expect(`${where}: ${said}`).toBe(`${where}: ${model.do(op, args)}`);
        for (const line of native.tableTake(table)) read.apply(JSON.parse(line) as Operation);
      }
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
      const core = new TreeModel();
      const whole = new TreeModel();
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
