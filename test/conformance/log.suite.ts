/** What every Log must do (shared/ports/log.ts): the file of a program, and the one of a simulated process. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Log, LogLevel } from '../../shared/ports/log.ts';

const LEVELS: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

/** A line as it is read later. */
export interface WrittenLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface LogHarness {
  /** Writes lines of every level. */
  readonly log: Log;
  /** All logged lines, oldest first; nothing may be logged afterwards. */
  written(): Promise<readonly WrittenLine[]>;
  end(): void;
}

export function logSuite(name: string, make: () => LogHarness): void {
  describe(`a Log (${name})`, () => {
    let harness: LogHarness;
    let log: Log;

    beforeEach(() => {
      harness = make();
      log = harness.log;
    });
    afterEach(() => harness.end());

    const fields = async () => (await harness.written()).map((line) => line.fields);

    it.each(LEVELS)('writes an entry of level %s with its keys', async (level) => {
      log[level]('refused', { port: 4433, name: 'doc', again: false, why: null });
      expect(await harness.written()).toEqual([
        {
          level,
          message: 'refused',
          fields: { port: 4433, name: 'doc', again: false, why: null },
        },
      ]);
    });

    it('writes entries in the order of the calls, whatever their level', async () => {
      const said = LEVELS.flatMap((level, i) => [`${level} ${i}`, `${level} again`]);
      for (const message of said) log[message.split(' ')[0] as LogLevel](message);
      expect((await harness.written()).map(({ message }) => message)).toEqual(said);
    });

    it('needs no keys and omits undefined ones', async () => {
      log.info('started');
      log.info('refused', { why: undefined, port: 1 });
      const [bare, other] = await fields();
      expect(bare).toEqual({});
      expect(JSON.stringify(other)).toBe('{"port":1}');
    });

    it('writes the keys of `with` in every entry, and the nearest of two with one name', async () => {
      const near = log.with({ volume: 1, who: 'far' }).with({ who: 'near' });
      for (const level of LEVELS) near[level]('line');
      near.info('own', { volume: 2 });
      const carried = { volume: 1, who: 'near' };
      expect(await fields()).toEqual([...LEVELS.map(() => carried), { volume: 2, who: 'near' }]);
    });

    it('is not changed when `with` derives another log', async () => {
      const with1 = log.with({ volume: 1 });
      with1.with({ fid: 'a' }).info('one');
      with1.info('two');
      log.info('three');
      expect(await fields()).toEqual([{ volume: 1, fid: 'a' }, { volume: 1 }, {}]);
    });

    it('writes the values that the keys had at the call', async () => {
      const [carried, given] = [{ volume: 1 }, { port: 1 }];
      const other = log.with(carried);
      other.info('line', given);
      [carried.volume, given.port] = [2, 2];
      other.info('line');
      expect(await fields()).toEqual([{ volume: 1, port: 1 }, { volume: 1 }]);
    });

    it('writes a text of several lines and any characters in one line', async () => {
      const text = 'one\ntwo "three" \\ \u2028 %s %d';
      log.info(text, { text, '%s': 'x' });
      expect(await harness.written()).toEqual([
        { level: 'info', message: text, fields: { text, '%s': 'x' } },
      ]);
    });

    it('never writes a secret, whether found by key or by look, own or of `with`', async () => {
      log.with({ ticket: 'abc' }).info('paired', { clientSecret: 'abc', device: 3 });
      log.info('paired', { url: 'godwit://host:4433/abc', text: '-----BEGIN PRIVATE KEY-----' });
      const hidden = '[redacted]';
      expect(await fields()).toEqual([
        { ticket: hidden, clientSecret: hidden, device: 3 },
        { url: hidden, text: hidden },
      ]);
    });

    it('writes whether there is a secret', async () => {
      log.info('connecting', { ticket: true, invitation: null });
      expect(await fields()).toEqual([{ ticket: true, invitation: null }]);
    });

    it('keeps level and message of an entry when keys have the same names', async () => {
      log.warn('refused', { level: 'x', message: 'why' });
      expect(await harness.written()).toEqual([
        { level: 'warn', message: 'refused', fields: { level_: 'x', message_: 'why' } },
      ]);
    });
  });
}
