/** Texts from people, file names and messages: the result is a value that is written the same again, null, or a coded error. */
import { hash } from 'node:crypto';
import { deepStrictEqual, equal, ok } from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import * as commands from '../../../../app/cli/arguments.ts';
import { oneOf } from '../../../../app/cli/fixed-values.ts';
import { formatVolumePath, parseVolumePath } from '../../../../app/cli/volume-path.ts';
import { parseAddress, parseHostPort } from '../../../../shared/control/addresses.ts';
import { formatHostPort } from '../../../../shared/model/host-port.ts';
import {
  formatStartupFailure,
  parseStartupFailure,
} from '../../../../shared/control/startup-failure.ts';
import { ConditionsError } from '../../../../app/lab/shaper/conditions.ts';
import { parseRateTrace } from '../../../../app/lab/shaper/rate-trace.ts';
import { isFid, makeFid, parseFid } from '../../../../shared/model/fid.ts';
import { formatInvitation, parseInvitation } from '../../../../shared/model/invitation.ts';
import { nameFault } from '../../../../shared/model/names.ts';
import { partName, readPartName } from '../../../../shared/model/part-note.ts';
import { isDigest, isMtime } from '../../../../shared/model/vnode.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import { isLabel, xattrs } from '../../../../shared/wire/fields.ts';
import * as any from '../../../support/wire-arbitraries.ts';
import { ERA, JSON_TOKENS, text, type Parser, type ParserRow } from '../parser.ts';

const SAMPLES = 60;
const INVITATIONS = ['fe80::1%eth0', 'files.example.org', '192.0.2.7', '::'].map((host) =>
  formatInvitation({
    ...{ host, port: 4433, fingerprint: 'ab'.repeat(32) },
    ...{ id: '01'.repeat(16), secret: 'fe'.repeat(16) },
  }),
);

interface Texts {
  readonly corpus: (seed: number) => readonly string[];
  readonly tokens?: readonly Uint8Array[];
  readonly mend?: (given: string) => string;
  /** Returns whether it was accepted. */
  readonly check: (given: string, bytes: Uint8Array) => boolean;
  readonly allows?: (error: unknown) => boolean;
}

function texts({ corpus, tokens = [], mend, check, allows = () => false }: Texts): Parser {
  const buffers = (seed: number): Uint8Array[] => corpus(seed).map((each) => Buffer.from(each));
  return {
    corpus: buffers,
    tokens,
    ...(mend === undefined ? {} : { mend: (bytes) => Buffer.from(mend(asText(bytes))) }),
    check: (bytes) => check(asText(bytes), bytes),
    allows,
  };
}

const asText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');

/** Corrects the checksum at the end. */
function mended(given: string): string {
  const body = given.slice(0, given.lastIndexOf('.') + 1);
  return /^[\x20-\x7e]+$/.test(body) ? body + hash('sha256', body).slice(0, 8) : given;
}

const invitations = (): Parser =>
  texts({
    corpus: () => INVITATIONS,
    tokens: text(
      'godwit://',
      '[',
      ']',
      ':',
      '/',
      '.',
      '%',
      '0',
      '65535',
      '65536',
      ' ',
      '\n',
      '\u0130',
    ),
    mend: mended,
    check: (given) => {
      const read = parseInvitation(given);
      if (read !== null) deepStrictEqual(parseInvitation(formatInvitation(read)), read);
      return read !== null;
    },
  });

const partNotes = (): Parser =>
  texts({
    corpus: (seed) =>
      fc
        .sample(fc.tuple(any.fid, any.digest, fc.maxSafeNat(), fc.maxSafeNat()), {
          seed,
          numRuns: SAMPLES,
        })
        .map(([fid, digest, length, keptAt]) =>
          partName({ fid, digest, length: length % 1e15, keptAt: (keptAt % 1e15) as never }),
        ),
    tokens: text('-', '.', '0', '00', '4294967295', '4294967296', '999999999999999', '٣'),
    check: (given) => {
      const read = readPartName(given);
      if (read !== null) deepStrictEqual(readPartName(partName(read)), read);
      return read !== null;
    },
  });

/** Fids in two notations, and other short texts. */
const identifiers = (): Parser =>
  texts({
    corpus: () => [
      '1.1.1',
      '0.4294967295.7',
      'ab'.repeat(32),
      '1700000000000000000',
      '-1',
      'a b',
      '..',
    ],
    tokens: text('.', '0', '-', '4294967296', '\0', '/', '\ufffd', '\ud83d', 'é', '\u202e'),
    check: (given, bytes) => {
      const parts = parseFid(given);
      equal(isFid(given), parts !== null);
      if (parts !== null) equal(makeFid(parts.volume, parts.vnode, parts.uniquifier), given);
      if (isMtime(given)) equal(BigInt(given).toString(), given);
      const isOurs = isDigest(given) || isLabel(given);
      // Bytes that are no text are told by themselves: a name may hold what stands for them.
      if (!isUtf8(bytes) || nameFault(given) !== null) return parts !== null || isOurs;
      ok(Buffer.from(given).equals(bytes), 'a name has other bytes than it came with');
      return true;
    },
  });

const attributes = (): Parser =>
  texts({
    corpus: () => [
      'user\nYWJj',
      'x\n',
      'a.b\nAA==',
      `long\n${Buffer.alloc(3000, 7).toString('base64')}`,
    ],
    tokens: text('=', '==', 'AB==', '+', '/', '-', '_', '\n', '\0', ' '),
    check: (given) => {
      const [name = '', ...rest] = given.split('\n');
      const value = rest.join('\n');
      if (!xattrs.safeParse([{ name, value }]).success) return false;
      equal(Buffer.from(value, 'base64').toString('base64'), value);
      return true;
    },
  });

const startups = (): Parser =>
  texts({
    corpus: () => [`x\n${formatStartupFailure(new GodwitError('not-paired', 'who is this?'))}\n`],
    tokens: JSON_TOKENS,
    check: (given) => {
      const read = parseStartupFailure(given);
      if (read === null) return false;
      const again = parseStartupFailure(formatStartupFailure(read));
      deepStrictEqual([again?.code, again?.message], [read.code, read.message]);
      return true;
    },
  });

/** Each is taken by some of them at most. */
const COMMANDS: ReadonlyArray<(given: string) => void> = [
  commands.parseSeconds,
  commands.parseCount,
  commands.parseCountOrNone,
  commands.parsePeriod,
  commands.parseSize,
  commands.parseBytes,
  commands.parseBound,
  oneOf('read', 'write'),
  (given) => ok(Number.isFinite(commands.parseTime(given, 1e12))),
  (given) => {
    const read = parseHostPort(given, '::1');
    const again = parseHostPort(formatHostPort(read), '');
    deepStrictEqual(again, read);
  },
  (given) => {
    const read = parseAddress(given, 4433);
    deepStrictEqual(parseAddress(formatHostPort(read), null), read);
  },
  (given) => {
    const names = parseVolumePath(given);
    deepStrictEqual(parseVolumePath(formatVolumePath(names)), names);
  },
];

/** Traces of rates, and single rates. */
const rateTraces = (): Parser =>
  texts({
    corpus: () => ['0,750KB/s\n# a tunnel\n12.5,0B/s\n\n13,64KiB/s\n', '0,2Mbit/s', '0,1.2GB/s'],
    tokens: text(
      ...['0', ',', '\n', '\r', '#', '.', '-', 'e9', 'B/s', 'KiB/s', 'kbit/s', 'i', ' '],
    ),
    check: (given) => {
      const read = parseRateTrace(given);
      const lines = read.map(({ atMs, bytesPerSecond }) => {
        const seconds = (atMs / 1000).toFixed(6);
        return `${seconds},${bytesPerSecond}B/s`;
      });
      deepStrictEqual(parseRateTrace(lines.join('\n')), read);
      return true;
    },
    allows: (error) => error instanceof ConditionsError,
  });

const isCoded = (error: unknown): boolean =>
  error instanceof GodwitError && error.code !== 'internal';

const argumentsOfCommands = (): Parser =>
  texts({
    corpus: () => [
      ...[
        '60s',
        '1.5m',
        '4096',
        '10MB',
        '1GiB',
        '3d',
        '2026-01-31 18:30',
        '2026-01-31T18:30:00.5Z',
      ],
      ...['localhost:4433', '[::1]:80', ':80', '443', '/a/b', 'a/./b', 'read', '007', '0'],
    ],
    tokens: text(
      ':',
      '[',
      ']',
      '%',
      '/',
      '..',
      '.',
      '-',
      '+',
      'e',
      'T',
      'Z',
      'i',
      'B',
      '\0',
      '\u0130',
    ),
    check: (given) => {
      let taken = false;
      for (const parse of COMMANDS) {
        try {
          parse(given);
          taken = true;
        } catch (error) {
          if (!isCoded(error)) throw error;
        }
      }
      return taken;
    },
  });

const row = (name: string, weight: number, open: () => Parser): ParserRow => ({
  ...{ name, weight, open, era: ERA },
});

export const TEXTS: readonly ParserRow[] = [
  row('invitations', 6, invitations),
  row('part notes', 3, partNotes),
  row('fids, digests, times and names', 3, identifiers),
  row('extended attributes', 2, attributes),
  row('lines of a failed start', 2, startups),
  row('arguments of commands', 1, argumentsOfCommands),
  row('traces of rates', 1, rateTraces),
];
