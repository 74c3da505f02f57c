/** Manual pages and completions: each command and flag of the program is in them, and the formatter has nothing to say against a page. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { program } from '../../build/docs/reference-pages.mjs';
import { renderManPages } from '../../build/docs/render-man.mjs';
import { shellFiles } from '../../build/docs/shell-files.mjs';
import { itNeeds } from '../support/browser.ts';
import { onPath } from '../support/programs.ts';

interface Known {
  /** Such as `server invite`. */
  readonly words: string;
  readonly top: string;
  readonly flags: readonly string[];
  readonly isGroup: boolean;
}

function knownOf(command: Command, above: readonly string[] = []): Known[] {
  const words = [...above, command.name()];
  const flags = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? '');
  const own = { words: words.join(' '), top: words[0] ?? '', flags };
  const isGroup = command.commands.length > 0;
  return [{ ...own, isGroup }, ...command.commands.flatMap((each) => knownOf(each, words))];
}

describe('the files for shells and man', () => {
  let files: ReadonlyMap<string, string>;
  let known: readonly Known[];
  beforeAll(async () => {
    const { product, laboratory } = await shellFiles('1.2.3', '2026-01-31');
    files = new Map([...product, ...laboratory]);
    known = (await program()).commands.flatMap((each) => knownOf(each));
  });

  const page = (top: string): string =>
    (files.get(`usr/share/man/man1/${top}.1`) ?? '').replaceAll('\\-', '-');

  it('have a page for each command, with all of its flags and subcommands', () => {
    const missing = known.filter(({ words, top, flags }) => {
      const text = page(`godwit-${top}`);
      return !text.includes(`godwit ${words}\\fR`) || !flags.every((flag) => text.includes(flag));
    });
    expect(missing).toEqual([]);
    const inMain = known.filter(({ words, top }) => words === top);
    expect(inMain.filter(({ top }) => !page('godwit').includes(`\\fBgodwit ${top}\\fR`))).toEqual(
      [],
    );
  });

  it('have each command and flag in the completions of each shell', () => {
    const bash = files.get('usr/share/bash-completion/completions/godwit') ?? '';
    const zsh = files.get('usr/share/zsh/vendor-completions/_godwit') ?? '';
    const fish = files.get('usr/share/fish/vendor_completions.d/godwit.fish') ?? '';
    expect(zsh).toMatch(/^#compdef godwit\n/);
    for (const { words, flags } of known) {
      for (const script of [bash, zsh]) {
        const row =
          script
            .split('\n')
            .find((line) => line.includes(`"/${words.replaceAll(' ', '/')}") names=`)) ?? '';
        expect([words, flags.filter((flag) => !row.includes(flag))]).toEqual([words, []]);
      }
      const of = fish.split('\n').filter((line) => line.includes(`_at "${words}"'`));
      const unsaid = flags.filter((flag) => !of.some((line) => line.includes(flag.slice(2))));
      expect([words, unsaid]).toEqual([words, []]);
    }
  });

  it('keep requests of the formatter out of the words of a command', () => {
    const odd = new Command('godwit').description("'so' \\ and more");
    odd.addCommand(new Command('x').description('.SH is no heading').helpGroup('All:'));
    const about = { version: '1', date: '2026-01-31', helps: {} };
    const text = renderManPages(odd, about).get('godwit-x.1') ?? '';
    expect(text.split('\n').filter((line) => /^['.]SH is/.test(line))).toEqual([]);
    expect(renderManPages(odd, about).get('godwit.1')).toContain('\\e and more');
  });

  itNeeds(onPath('groff') === null ? 'there is no groff here' : null)(
    'are pages that the formatter finds no fault with',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'godwit-man-'));
      try {
        for (const [path, text] of files) {
          if (!path.startsWith('usr/share/man/')) continue;
          const file = join(folder, path.split('/').at(-1) ?? '');
          writeFileSync(file, text);
          const args = ['-Kutf8', '-man', '-Tutf8', '-ww', '-z', file];
          const { stderr } = spawnSync('groff', args, { encoding: 'utf8' });
          expect([file, stderr]).toEqual([file, '']);
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
      return Promise.resolve();
    },
  );
});
