import { describe, expect, it } from '@jest/globals';
import type { VersionRow } from '../../../shared/control/history.ts';
import { COMMANDS } from '../../../shared/control/commands.ts';
import {
  removedLines,
  restoredText,
  UNDO_EXTENTS,
  undoExtent,
  undoLines,
  versionLines,
} from './history-view.ts';

const NOW = Date.UTC(2026, 0, 2, 12);
const row = (number: number, change: Partial<VersionRow> = {}): VersionRow => ({
  ...{ number, when: NOW - 1000, by: 'laptop-b', size: 1500, present: false, kept: true },
  ...change,
});

describe('the versions of a file', () => {
  it('can be brought back but for the present one and those that are not kept', () => {
    const versions = [row(3, { present: true }), row(2, { by: null }), row(1, { kept: false })];
    const lines = versionLines({ path: '/a', removed: null, versions }, NOW);
    expect(lines.map(({ canRestore }) => canRestore)).toEqual([false, true, false]);
    expect(lines.map(({ about }) => about)).toEqual([
      'from laptop-b, 1.5\u00a0KB, the present one',
      'from a laptop that is not known any more, 1.5\u00a0KB',
      'from laptop-b, 1.5\u00a0KB, not kept any more',
    ]);
  });

  it('can all be brought back where the file is gone', () => {
    const removed = { when: NOW, by: null };
    const [line] = versionLines(
      { path: '/a', removed, versions: [row(3, { present: true })] },
      NOW,
    );
    expect(line).toMatchObject({ canRestore: true, about: 'from laptop-b, 1.5\u00a0KB' });
  });
});

describe('the list of deleted files', () => {
  it('begins with the last one', () => {
    const one = { kind: 'file', size: 10, by: 'x' } as const;
    const removed = [
      { ...one, path: '/a/old.txt', when: NOW - 3_600_000 },
      { ...one, path: '/a/b', kind: 'directory', when: NOW } as const,
    ];
    expect(removedLines({ path: '/a', removed }, NOW)).toMatchObject([
      { path: ['a', 'b'], name: 'b', icon: 'folder', about: 'deleted just now, from x' },
      { path: ['a', 'old.txt'], icon: 'text', about: 'deleted 1 h ago, from x, 10\u00a0B' },
    ]);
  });
});

describe('the outcome of a restore', () => {
  const done = { path: '/a', as: 'made', to: '/a (restored)' } as const;
  const failed = { path: '/b', code: 'no-room', message: 'no room' };
  it.each([
    [{ done: [], failed: [] }, 'Nothing was brought back'],
    [{ done: [done], failed: [] }, 'Brought back: /a (restored)'],
    [{ done: [done, done], failed: [failed] }, '2 things brought back; 1 thing not: /b: no room'],
  ])('has words for the report %j: "%s"', (report, said) =>
    expect(restoredText(report)).toBe(said),
  );
});

describe('an undo', () => {
  it('asks for what the daemon takes', () => {
    for (const name of UNDO_EXTENTS) {
      const order = { volume: 'home', extent: undoExtent(name, NOW), dryRun: true };
      expect(COMMANDS.undo.args.safeParse(order).success).toBe(true);
    }
  });

  it('is shown before it is done, as far as anybody reads', () => {
    const done = Array.from({ length: 30 }, (_, at) => ({
      ...{ path: `/${at}`, as: 'contents', to: `/${at}` },
    })) as never;
    const { lines, more } = undoLines({ done, failed: [] });
    expect([lines[0], lines.length, more]).toEqual(['/0 gets its older contents', 20, 10]);
  });
});
