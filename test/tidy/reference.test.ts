import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { referencePages } from '../../build/docs/reference-pages.mjs';
import { renderControlApi } from '../../build/docs/render-control-api.mjs';
import { renderMetrics } from '../../build/docs/render-metrics.mjs';
import type { Figure } from '../../shared/metrics/figure.ts';
import { filesOf, type SourceFile } from './repository.ts';

const FOLDER = 'docs/reference/';

/** Pages that say something else than the programs, pages that are missing, and those that nothing makes. */
function stale(files: readonly SourceFile[], made: ReadonlyMap<string, string>): string[] {
  const kept = new Map(
    files
      .filter(({ path }) => path.startsWith(FOLDER))
      .map(({ path, text }) => [path.slice(FOLDER.length, -'.md'.length), text]),
  );
  return [...new Set([...kept.keys(), ...made.keys()])].filter(
    (name) => kept.get(name) !== made.get(name),
  );
}

describe('the reference pages', () => {
  let made: ReadonlyMap<string, string>;
  beforeAll(async () => {
    made = await referencePages();
  });

  test('say what the programs say (else: npm run docs)', () => {
    expect(stale(filesOf('.md'), made)).toEqual([]);
  });

  test('are reported when they are stale, missing, or made by nothing', () => {
    const page = (name: string, text: string) => ({ path: `${FOLDER}${name}.md`, text });
    const two = new Map([
      ['a', 'x'],
      ['b', 'y'],
    ]);
    expect(stale([page('a', 'x'), page('b', 'y')], two)).toEqual([]);
    expect(stale([page('a', 'old'), page('c', 'z')], two)).toEqual(['a', 'c', 'b']);
  });

  test('list flags of nested commands with their variables', () => {
    const cli = made.get('cli') ?? '';
    expect(cli).toContain('### godwit server backup\n');
    expect(cli).toMatch(/^\| `--verify` \| .+ \| `GODWIT_SERVER_VERIFY` \|$/m);
    expect(cli).toContain('--shorten-runs');
    expect(cli).toContain('Its flags are those of `godwit bench table2`.');
  });

  test('list a default for each setting and the keys of a network', () => {
    const settings = made.get('settings') ?? '';
    expect(settings).toContain('| `cache.minimum` | `256MB` |');
    expect(settings).toContain('| `network.NAME.metered` | `auto` |');
  });
});

describe('the renderers of reference pages', () => {
  test('show a row with its arguments, its text and its callers', () => {
    const args = z.strictObject({
      name: z.string(),
      times: z.number().int().min(1).max(3).optional(),
    });
    const row = { says: 'Says hello.', callers: ['cli', 'window'] as const, args, answer: {} };
    expect(renderControlApi({ hello: row }, {})).toContain(
      '| `hello` | `name`: string; `times?`: number, 1 to 3 | Says hello. | cli, window |',
    );
  });

  test('place a metric under the program that has it', () => {
    const figure = (name: string): Figure => ({ kind: 'gauge', name, help: 'X.', samples: [] });
    const page = renderMetrics(
      [figure('godwit_x'), figure('process_y')],
      [figure('godwit_server_z')],
    );
    const [, daemon = '', server = '', both = ''] = page.split('\n## ');
    expect(daemon).toContain('| `godwit_x` | gauge | X. |');
    expect(server).toContain('`godwit_server_z`');
    expect(both).toContain('`process_y`');
  });
});
