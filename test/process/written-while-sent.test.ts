/**
 * A program writes to a large file in place while it is on its way to the server, over a slow line (rule W6): the other laptop shows
 * one version or another, each as a whole, and the last one in the end. Each version is one letter over and over, and so long as
 * no other.
 */
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { UdpRelay } from '../../app/lab/shaper/udp-relay.ts';
import { parseHostPort } from '../../shared/control/addresses.ts';
import { Bench, type RunningServer } from '../support/bench.ts';
import type { Laptop } from '../support/two-laptops.ts';

const MEGABYTE = 1024 * 1024;
const SIZE = 6 * MEGABYTE;
const BYTES_PER_SECOND = 3 * MEGABYTE;
const VERSIONS = ['a', 'b', 'c', 'd', 'e', 'f'];
/** A version that has sent this many bytes has begun, and is far from its end. */
const BEGUN = SIZE / 4;
/** The size of the pieces in which programs write. */
const PIECE = 64 * 1024;

let bench: Bench;
let server: RunningServer;
let line: UdpRelay;
let a: Laptop;
let b: Laptop;

beforeAll(async () => {
  bench = new Bench();
  server = await bench.server();
  const rate = [{ atMs: 0, bytesPerSecond: BYTES_PER_SECOND }];
  line = await UdpRelay.open({
    to: parseHostPort(server.address, ''),
    up: { rate, queue: { ms: 125 } },
  });
  a = await bench.laptop('ann', await bench.invite({ ...server, address: line.address }));
  b = await bench.laptop('bob', await bench.invite(server));
});
afterAll(async () => {
  await bench.close();
  line.close();
});

/** The length of each version: longer and shorter by turns, so that a mixture would show in the length, too. */
const lengthOf = (letter: string): number =>
  SIZE + (letter.charCodeAt(0) % 2 === 0 ? 1 : -1) * letter.charCodeAt(0) * 1000;

function writeInPlace(letter: string): void {
  const length = lengthOf(letter);
  const file = openSync(join(a.folder, 'big'), letter === VERSIONS[0] ? 'w' : 'r+');
  for (let at = 0; at < length; at += PIECE) {
    writeSync(file, Buffer.alloc(Math.min(PIECE, length - at), letter), 0, undefined, at);
  }
  ftruncateSync(file, length);
  closeSync(file);
}

/** The version that the other laptop shows: its letter, null without a file, or a description of anything else. */
function shown(): string | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(b.folder, 'big'));
  } catch {
    return null;
  }
  const letter = String.fromCharCode(bytes[0] ?? 0);
  const isWhole = bytes.equals(Buffer.alloc(lengthOf(letter), letter));
  return isWhole ? letter : `a mixture of ${bytes.length} bytes that begins with ${letter}`;
}

it('a file that is written during its upload arrives as whole versions and as the last one in the end', async () => {
  const seen = new Set<string>();
  let isOver = false;
  const looking = bench.until(b.data, () => {
    const letter = shown();
    if (letter !== null) seen.add(letter);
    return isOver;
  });
  for (const letter of VERSIONS) {
    writeInPlace(letter);
    await line.passed('up', BEGUN);
    expect(shown()).not.toBe(letter);
  }
  await bench.flush(a, b);
  isOver = true;
  // Something for the other laptop to tell of.
  await bench.json(['put', '-', '/end', '--data', b.data]);
  await looking;
  expect(shown()).toBe(VERSIONS.at(-1));
  seen.delete(VERSIONS.at(-1) as string);
  expect(VERSIONS).toEqual(expect.arrayContaining([...seen]));
});
