/** `npm start` runs a server, a daemon and a folder, and a second start continues with them. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isAlive } from '../../app/cli/processes.ts';
import { Bench, firstLine, outputOf, textOf } from '../support/bench.ts';

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.close());

interface StartReport {
  readonly folder: string;
  readonly data: string;
  readonly server: { readonly listening: string };
}

describe('godwit here', () => {
  it('keeps a folder in sync until Ctrl-C and continues with it the next time', async () => {
    const env = { GODWIT_FOLDER: bench.path('home', 'Mine') };
    const first = bench.start(['here', '--json'], env);
    const said = JSON.parse(await firstLine(first)) as StartReport;
    expect(said.folder).toBe(env.GODWIT_FOLDER);
    writeFileSync(join(said.folder, 'kept'), 'kept');
    await bench.flush(said);
    const { pid } = await bench.status(said.data);
    const ended = outputOf(first);
    first.kill('SIGINT');
    expect((await ended).code).toBe(0);
    expect(isAlive(pid)).toBe(false);

    const second = bench.start(['here', '--json'], env);
    const again = JSON.parse(await firstLine(second)) as StartReport;
    expect(again).toEqual(said);
    expect((await bench.godwit(['cat', 'kept', '--data', again.data])).stdout).toBe('kept');
    second.kill('SIGINT');
    await outputOf(second);
  });

  it('prints where the folder is and what to try, and shows state changes', async () => {
    const state = bench.path('other state');
    const place = ['--state', state, '--folder', bench.path('home', 'Other')];
    const child = bench.start(['here', ...place]);
    const ended = outputOf(child);
    await new Promise<void>((resolve) => {
      let text = '';
      child.stdout?.on('data', (part: string) => {
        text += part;
        if (/^(Everything is synced|Syncing)/m.test(text)) resolve();
      });
    });
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout).toContain(`Your synced folder: ${bench.path('home', 'Other')}`);
    expect(stdout).toContain('\n  npx godwit status\n');
    expect(stdout).toContain('npx godwit ui\n');
    expect(stdout).toContain('npm link\n');
    expect(stdout).not.toContain('\u001b');
  });

  it('ends the programs it started when it is killed itself', async () => {
    const state = bench.path('killed state');
    const place = ['--state', state, '--folder', bench.path('home', 'Killed')];
    const child = bench.start(['here', '--json', ...place]);
    const { data } = JSON.parse(await firstLine(child)) as StartReport;
    child.kill('SIGKILL');
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (existsSync(join(data, 'control.json'))) setImmediate(look);
        else resolve();
      };
      look();
    });
    const again = bench.start(['here', '--json', ...place]);
    expect(JSON.parse(await firstLine(again))).toMatchObject({ data });
    again.kill('SIGINT');
    await outputOf(again);
  });

  it('reports in one line why it cannot start', async () => {
    mkdirSync(bench.path('home'), { recursive: true });
    writeFileSync(bench.path('home', 'a file'), 'mine');
    const run = await bench.godwit([
      'here',
      '--state',
      bench.path('failed state'),
      '--folder',
      bench.path('home', 'a file'),
    ]);
    expect(run.code).toBe(1);
    expect(run.stderr.split('\n').filter((line) => line.startsWith('godwit: '))).toHaveLength(1);
    expect(textOf(bench.path('home', 'a file'))).toBe('mine');
  });
});
