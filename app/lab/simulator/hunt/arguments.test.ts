import { describe, expect, it } from '@jest/globals';
import { FAULTS } from '../fault/faults.ts';
import { parseArguments } from './arguments.ts';
import { UsageError } from './usage-error.ts';

const words = (line: string): string[] => line.split(' ').filter((word) => word !== '');

function refusal(line: string): string {
  try {
    parseArguments(words(line));
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('the arguments of godwit sim', () => {
  it('can name one seed', () => {
    expect(parseArguments(words('--seed 7 --steps 30 --faults none --json'))).toEqual({
      what: 'seed',
      seed: 7,
      making: { steps: 30, faults: [] },
      save: null,
      shortenRuns: 500,
      json: true,
    });
  });

  it('can name a time, a range of seeds or both', () => {
    expect(parseArguments(words('--minutes 0.5'))).toMatchObject({
      what: 'hunt',
      minutes: 0.5,
      range: null,
      making: { steps: null, faults: FAULTS },
    });
    const range = { from: 5, count: 9 };
    expect(parseArguments(words('--from 5 --count 9 --workers 3'))).toMatchObject({
      what: 'hunt',
      minutes: null,
      range,
      workers: 3,
    });
  });

  it('can name a file', () => {
    expect(parseArguments(words('--replay a.json --save b'))).toMatchObject({
      what: 'replay',
      file: 'a.json',
      save: 'b',
    });
  });

  it('can name a depth of sequences', () => {
    expect(parseArguments(words('--sequences 3'))).toMatchObject({ what: 'sequences', depth: 3 });
  });

  it('can name a part of the sequences', () => {
    const part = { number: 2, of: 8 };
    expect(parseArguments(words('--sequences 3 --part 2/8'))).toMatchObject({ part });
    expect(parseArguments(words('--sequences 3'))).toMatchObject({ part: { number: 1, of: 1 } });
  });

  it('can ask for the list of options', () => {
    const help = parseArguments(['--help']);
    const text = help.what === 'help' ? help.text : '';
    for (const { name } of FAULTS) expect(text).toContain(name);
    expect(text).toContain('--minutes');
  });

  it.each([
    ['', 'nothing says what to run'],
    ['--steps 3', 'nothing says what to run'],
    ['--seed x', '--seed: x is no whole number'],
    ['--seed -1', '--seed'],
    ['--seed 1.5', '--seed: 1.5 is no whole number'],
    ['--seed 9007199254740992', '--seed'],
    ['--seed', '--seed'],
    ['--seed 1 --steps 9999999999', '--steps'],
    ['--seed 1 --minutes 2', '--seed and --minutes: '],
    ['--replay a --minutes 2', '--minutes and --replay: '],
    ['--minutes 0', '--minutes: 0 is no time'],
    ['--minutes 1e9', '--minutes: 1e9 is no time'],
    ['--sequences 4', '--sequences: 4 is no whole number from 1 to 3'],
    ['--sequences 3 --part 9/8', '--part: 9/8 is no part'],
    ['--sequences 3 --part 0/8', '--part: 0/8 is no part'],
    ['--sequences 3 --part 2', '--part: 2 is no part'],
    ['--seed 1 --part 1/2', '--part: there are no sequences'],
    ['--seed 1 --sequences 2', '--seed and --sequences: '],
    ['--from 1', '--from and --count: one of them is missing'],
    ['--seed 1 --count 3', '--from and --count: one of them is missing'],
    ['--from 9007199254740991 --count 3', '--from: the last seed is too large'],
    ['--from 1 --count 0', '--count: 0 is no whole number from 1'],
    ['--seed 1 --workers 2', '--workers: there is one run only'],
    ['--replay a --steps 3', '--steps: the file says what is done'],
    ['--seed 1 --shorten-runs many', '--shorten-runs: many is no whole number'],
    ['--seed 1 more', 'godwit sim: '],
    ['--what', "godwit sim: unknown option '--what'"],
    [
      '--seed 1 --faults flood',
      '--faults: no fault is called flood; use all, none, or names of cut, ',
    ],
    ['--seed 1 --faults cut,', '--faults: a name is missing; '],
  ])('are refused in one line when they are %j', (line, reason) => {
    const message = refusal(line);
    expect(message).toContain(reason);
    expect(message).toMatch(/^[^\n]+: [^\n]+; [^\n]+$/);
  });

  it('are quoted in errors without control characters', () => {
    const given = ['--seed', '1\u001b[2J\n2'];
    expect(() => parseArguments(given)).toThrow(/^--seed: 1 \[2J 2 is no/);
  });

  it.each([
    ['all', FAULTS.map(({ name }) => name)],
    ['none', []],
    ['cut', ['cut']],
    ['daemon,cut', ['cut', 'daemon']],
    [
      'all,locks,-cut',
      [...FAULTS.map(({ name }) => name), 'locks'].filter((name) => name !== 'cut'),
    ],
    ['none,cut', ['cut']],
    ['all,-cut', FAULTS.map(({ name }) => name).filter((name) => name !== 'cut')],
    ['-cut,-daemon', FAULTS.map(({ name }) => name).filter((name) => !/^(cut|daemon)$/.test(name))],
  ])('select fault families by --faults=%s', (list, names) => {
    const asked = parseArguments(['--seed', '1', `--faults=${list}`]);
    const faults = asked.what === 'seed' ? asked.making.faults : [];
    expect(faults.map(({ name }) => name)).toEqual(names);
  });
});
