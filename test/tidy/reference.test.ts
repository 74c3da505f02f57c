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

describe('docs/reference', () => {
  let made: ReadonlyMap<string, string>;
  beforeAll(async () => {
    made = await referencePages();
  });

  test('each page says what the programs say (else: npm run docs)', () => {
    expect(stale(filesOf('.md'), made)).toEqual([]);
  });

  test('a page that is stale, missing, or made by nothing is found', () => {
    const page = (name: string, text: string) => ({ path: `${FOLDER}${name}.md`, text });
    const two = new Map([
      ['a', 'x'],
      ['b', 'y'],
    ]);
    expect(stale([page('a', 'x'), page('b', 'y')], two)).toEqual([]);
    expect(stale([page('a', 'old'), page('c', 'z')], two)).toEqual(['a', 'c', 'b']);
  });

  test('the page of the command line has a flag of a command inside another one, and its twin', () => {
    const cli = made.get('cli') ?? '';
    expect(cli).toContain('### godwit server backup\n');
    expect(cli).toMatch(/^\| `--verify` \| .+ \| `GODWIT_SERVER_VERIFY` \|$/m);
    expect(cli).toContain('--shorten-runs');
    expect(cli).toContain('Its flags are those of `godwit bench table2`.');
  });

  test('the page of settings has a default for each, and the keys of a network', () => {
    const settings = made.get('settings') ?? '';
    expect(settings).toContain('| `cache.minimum` | `256MB` |');
    expect(settings).toContain('| `network.NAME.metered` | `auto` |');
  });
});

describe('renderers', () => {
  test('a row becomes its arguments, its text and who asks', () => {
    const args = z.strictObject({
      name: z.string(),
      times: z.number().int().min(1).max(3).optional(),
    });
    const row = { says: 'Says hello.', callers: ['cli', 'window'] as const, args, answer: {} };
    expect(renderControlApi({ hello: row }, {})).toContain(
      '| `hello` | `name`: string; `times?`: number, 1 to 3 | Says hello. | cli, window |',
    );
  });

  test('a figure stands under the program that has it', () => {
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
