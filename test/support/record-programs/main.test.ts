import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { SCRIPTS } from './scripts.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const RECORDED = new URL('../../../app/lab/simulator/folder/programs/recorded/', import.meta.url);

it('a program that is not known is refused with the names of the others', () => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'emacs'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringMatching(/^record-programs: .*"emacs".*git-checkout.*\n$/),
  });
});

it('each script has its recording', () => {
  const files = readdirSync(RECORDED);
  expect(files.toSorted()).toEqual(SCRIPTS.map(({ name }) => `${name}.ts`).toSorted());
});
