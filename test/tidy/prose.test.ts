/** The house rules for documents. Each rule, with what it takes for a fault, is in prose.ts, links.ts and command-lines.ts. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { program, simulatorHelp } from '../../build/docs/reference-pages.mjs';
import { argumentsIn, commandLines, fault } from './command-lines.ts';
import { broken, unreachable } from './links.ts';
import { anchorsOf, type Line } from './markdown.ts';
import {
  averageSentence,
  figures,
  longLines,
  longParagraphs,
  longSentences,
  sentencesOf,
  timeWords,
} from './prose.ts';
import { filesOf, readText, type SourceFile } from './repository.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FIRST = 'README.md';
const KB = 1024;

/** Bytes of a page at most, by the longest path that fits. */
const SIZES: ReadonlyArray<readonly [string, number]> = [
  ['README.md', 8 * KB],
  ['CONTRIBUTING.md', 8 * KB],
  ['GLOSSARY.md', 6 * KB],
  ['docs/guide/', 10 * KB],
  ['docs/server/', 10 * KB],
  ['docs/lab/', 10 * KB],
  ['docs/internals/', 15 * KB],
];

type Rule = 'sentences' | 'paragraphs' | 'lines' | 'figures' | 'time' | 'size' | 'links';

interface Exemption {
  /** A page, or a folder with `/` at its end. */
  readonly path: string;
  readonly rules: readonly Rule[];
  readonly why: string;
}

const EXEMPT: readonly Exemption[] = [
  {
    path: 'CHANGELOG.md',
    rules: ['time', 'figures'],
    why: 'it says what has changed, and by how much',
  },
  {
    path: 'docs/internals/tables/',
    rules: ['size'],
    why: 'tables to look things up in, made by commands',
  },
  {
    path: 'CHANGELOG.md',
    rules: ['sentences', 'lines'],
    why: 'its entries are older than the rules',
  },
  { path: 'docs/measurements/', rules: ['figures'], why: 'figures stand there' },
  {
    path: 'docs/measurements/2026-11-26-',
    rules: ['lines'],
    why: 'kept as it was written on its day',
  },
];

/** Pages that others lead to and that are not written yet. */
const COMING: readonly string[] = [];

const pages = filesOf('.md');
const isExempt = (path: string, rule: Rule): boolean =>
  EXEMPT.some((each) => path.startsWith(each.path) && each.rules.includes(rule));
const under = (rule: Rule): readonly SourceFile[] =>
  pages.filter(({ path }) => !isExempt(path, rule));

/** The README has one table of figures, and pages made of the programs have their defaults. */
const mayHaveFigures =
  (path: string) =>
  (line: Line): boolean =>
    (path === FIRST && line.kind === 'table' && line.heading === 'In figures') ||
    path.startsWith('docs/reference/');

function tooLarge({ path, text }: SourceFile): string[] {
  const most = SIZES.find(([prefix]) => path.startsWith(prefix))?.[1] ?? Infinity;
  const bytes = Buffer.byteLength(text);
  return bytes > most ? [`${path}: ${bytes} bytes, ${most} at most`] : [];
}

const exists = (path: string): boolean => existsSync(join(ROOT, path));

describe('documents', () => {
  test('have sentences of 22 words on average at most', () => {
    expect(under('sentences').flatMap(longSentences)).toEqual([]);
  });

  test('have no paragraph of more than 120 words', () => {
    expect(under('paragraphs').flatMap(longParagraphs)).toEqual([]);
  });

  test('have lines of 100 columns at most', () => {
    expect(under('lines').flatMap(longLines)).toEqual([]);
  });

  test('have no measured figure but in docs/measurements and one table of the README', () => {
    const found = under('figures').flatMap((page) => figures(page, mayHaveFigures(page.path)));
    expect(found).toEqual([]);
  });

  test('describe the present and not the past', () => {
    expect(under('time').flatMap(timeWords)).toEqual([]);
  });

  test('are short enough to be read', () => {
    expect(under('size').flatMap(tooLarge)).toEqual([]);
  });

  test('have links that lead somewhere', () => {
    const found = broken(pages, (path) => exists(path) || COMING.includes(path));
    expect(found.filter((link) => !isExempt(link.split(':')[0] ?? '', 'links'))).toEqual([]);
  });

  test('can all be reached from the README', () => {
    expect(unreachable(pages, FIRST).filter((path) => !isExempt(path, 'links'))).toEqual([]);
  });

  test('are exempt only where they have to be', () => {
    const needless = EXEMPT.filter(({ path }) => !pages.some((page) => page.path.startsWith(path)));
    expect([...needless.map(({ path }) => path), ...COMING.filter(exists)]).toEqual([]);
    expect(EXEMPT.filter(({ why }) => why.length < 10)).toEqual([]);
  });
});

describe('command lines in documents', () => {
  let godwit: Command;
  beforeAll(async () => {
    godwit = await program();
  });

  const faults = (files: readonly SourceFile[]): string[] =>
    files.flatMap(commandLines).flatMap(({ path, line, text }) => {
      const args = argumentsIn(text) ?? [];
      const told =
        args[0] === 'sim' ? simulatorFault(args) : (settingFault(args) ?? fault(godwit, args));
      return told === null ? [] : [`${path}:${line} ${text}: ${told}`];
    });

  test('are accepted by the program', () => {
    const shown = /^(?:README\.md|docs\/papers\.md|docs\/(?:guide|server|lab)\/)/;
    expect(faults(pages.filter(({ path }) => shown.test(path)))).toEqual([]);
  });

  test.each([
    ['godwit up --folder ~/Godwit --invite -', 0],
    ['ssh server godwit server invite --address a:1 | godwit up --invite -', 0],
    ['sudo -u godwit build/godwit.mjs server gc --days 3 --data /srv/godwit   # a remark', 0],
    ['GODWIT_JSON=yes godwit network set "Phone of Ann" --no-pause', 0],
    ['godwit sim --faults all,-suspend --minutes 10', 0],
    ['godwit pin a b c', 0],
    ['sudo useradd --home-dir /srv godwit', 0],
    ['godwit bench fig6 --json fig6.json --runs 3', 0],
    ['godwit upp', 1],
    ['godwit up --foldr x', 1],
    ['godwit server invite --folder x', 1],
    ['godwit status && godwit server grant 3', 1],
    ['godwit config a b c', 1],
    ['godwit put one', 1],
    ['godwit flush --timeout', 1],
    ['godwit sim --hours 3', 1],
    ['godwit config cache.largest 3GB', 1],
    ['godwit config --unset cache.maximum', 0],
  ])('are judged correctly: %s: %s', (text, count) => {
    const page = { path: 'README.md', text: `\`\`\`sh\n${text}\n\`\`\`` };
    expect(faults([page])).toHaveLength(count);
  });

  test('are checked in inline code, too', () => {
    const page = {
      path: 'a.md',
      text: 'Say `godwit trya` and `godwit`, not `rm`.\n| `godwit --no` |',
    };
    expect(faults([page])).toHaveLength(2);
  });
});

/** Its flags are told by its help alone. */
const SIMULATOR_HELP = await simulatorHelp();

function simulatorFault(args: readonly string[]): string | null {
  const unknown = args.find(
    (word) => word.startsWith('--') && !SIMULATOR_HELP.includes(`${word} `),
  );
  return unknown === undefined ? null : `godwit sim has no ${unknown}`;
}

/** Of `godwit config KEY`. */
function settingFault([command, ...rest]: readonly string[]): string | null {
  const key = rest.find((word) => !word.startsWith('-'));
  const isOne = command === 'config' && key !== undefined && key !== 'KEY';
  if (!isOne || key.startsWith('network.')) return null;
  const isKnown = readText('docs/reference/settings.md').includes(`\n| \`${key}\` |`);
  return isKnown ? null : `there is no setting ${key}`;
}

describe('the rules of prose', () => {
  const page = (text: string): SourceFile => ({ path: 'a.md', text });
  const words = (count: number): string => `Word${' word'.repeat(count - 1)}.`;

  test('find sentences that are too long on average, in text, lists and tables', () => {
    const long = [`${words(30)} ${words(30)}`, `- ${words(30)}`, `| name | ${words(30)} |`].join(
      '\n\n',
    );
    expect(averageSentence(long)).toBe(30);
    expect(longSentences(page(long))).toHaveLength(1);
    expect(longSentences(page(long.replaceAll(words(30), `${words(15)} ${words(15)}`)))).toEqual(
      [],
    );
    expect(longSentences(page(`\`\`\`\n${long}\n\`\`\``))).toEqual([]);
  });

  test('find the end of a sentence', () => {
    const text =
      'It takes 0.3 s, e.g. here. "Then" `a. B` goes. See [a b](c.md)! Next?\nLast: this.';
    expect(sentencesOf(text)).toHaveLength(5);
  });

  test('find a paragraph of one word too many', () => {
    expect(longParagraphs(page(words(121)))).toHaveLength(1);
    expect(longParagraphs(page(`${words(60)}\n- ${words(61)}`))).toEqual([]);
  });

  test('find a line of one column too many, except in tables and fitting code', () => {
    expect(longLines(page('x'.repeat(101)))).toHaveLength(1);
    expect(longLines(page(`\`\`\`\n${'x'.repeat(101)}\n\`\`\``))).toHaveLength(1);
    expect(longLines(page(`${'x'.repeat(100)}\n| ${'x'.repeat(101)} |`))).toEqual([]);
  });

  test.each([
    ['it takes 5 ms', 1],
    ['it takes 0.56 s', 1],
    ['2.9 to 3.1 s in all', 1],
    ['within 3 % of the rate', 1],
    ['as fast as 1,866 files/s', 1],
    ['at 140 MB/s', 1],
    ['| 64 KB | 12 ms |', 1],
    ['it waits 5 s, 30 seconds, 7 days', 0],
    ['files of 4 KiB, and 20 GB in all', 0],
    ['a rate of `64 KB/s`', 0],
    ['| what | default |\n| --- | --- |\n| rate | 64 KB/s |', 0],
    ['version 0.1 of 10.5 pages', 0],
    ['```\n5 ms\n```', 0],
  ])('find a measured figure in %j: %s', (text, count) => {
    expect(figures(page(text))).toHaveLength(count);
  });

  test('allow a figure below its heading', () => {
    const text = '## In figures\n\n| a | 5 ms |\n\n## Else\n\n| a | 5 ms |';
    expect(figures({ path: FIRST, text }, mayHaveFigures(FIRST))).toEqual(['README.md:7 "5 ms"']);
  });

  test.each([
    ['Until now it was slow.', 1],
    ['It used to be slow.', 1],
    ['A bit is used to be fast.', 0],
    ['It has been fixed since.', 1],
    ['Look at it before that call.', 1],
    ['`until now` is a word.', 0],
  ])('find words of the past in %j: %s', (text, count) => {
    expect(timeWords(page(text))).toHaveLength(count);
  });

  test('find a page that is too large', () => {
    const file = (bytes: number) => ({ path: 'docs/guide/a.md', text: 'x'.repeat(bytes) });
    expect(tooLarge(file(10 * KB))).toEqual([]);
    expect(tooLarge(file(10 * KB + 1))).toHaveLength(1);
  });

  test('find dead links and pages that nothing links to', () => {
    const files = [
      {
        path: 'README.md',
        text: '# Top\n[a](docs/a.md#one-two) [b](#top) [c](https://c) `[d](e)`',
      },
      {
        path: 'docs/a.md',
        text: '## One, two\n[up\nto](../README.md#none) ![p](p.png) [g](gone.md)',
      },
      { path: 'docs/b.md', text: '' },
    ];
    expect(broken(files, (path) => path === 'docs/p.png')).toEqual([
      'docs/a.md:2 README.md#none',
      'docs/a.md:2 docs/gone.md',
    ]);
    expect(unreachable(files, 'README.md')).toEqual(['docs/b.md']);
  });

  test('make anchors as GitHub does', () => {
    const text = '# `godwit up`: it starts\n## A & B\n## A & B\n```\n# no\n```';
    expect([...anchorsOf(text)]).toEqual(['godwit-up-it-starts', 'a--b', 'a--b-1']);
  });
});
