import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { godwit, godwitUntil } from '../../../../test/support/run-cli.ts';
import { Interruption } from '../../../cli/interruption.ts';

let folder: string;
let server: Socket;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'godwit-link-'));
  server = createSocket('udp4').bind(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const to = (): string => `--to=127.0.0.1:${server.address().port}`;

/** What it says at its start, and when it is interrupted after `meanwhile`. */
async function running(
  args: readonly string[],
  meanwhile: (port: number) => Promise<void>,
): Promise<{ code: number; lines: string[] }> {
  const interruption = new Interruption();
  const seen = new PassThrough();
  const run = godwitUntil(['link', to(), ...args], interruption, seen);
  const [first] = (await once(seen, 'data')) as [Buffer];
  await meanwhile(Number(/127\.0\.0\.1:(\d+)/.exec(first.toString())?.[1]));
  interruption.interrupt();
  const { code, stdout } = await run;
  return { code, lines: stdout.trimEnd().split('\n') };
}

async function sendOne(port: number): Promise<void> {
  const laptop = createSocket('udp4');
  const arrived = once(server, 'message');
  laptop.send('hello', port, '127.0.0.1');
  await arrived;
  laptop.close();
}

describe('godwit link', () => {
  it('prints where it listens, and at the end what it has carried', async () => {
    const { code, lines } = await running(['--json', '--rate=1MB/s', '--up-delay=1ms'], sendOne);
    expect(code).toBe(0);
    const [start, end] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(start).toMatchObject({
      up: { rate: [{ atMs: 0, bytesPerSecond: 1_000_000 }], delayMs: 1 },
      down: { rate: [{ atMs: 0, bytesPerSecond: 1_000_000 }], delayMs: 0 },
      seed: 1,
    });
    expect(end).toMatchObject({
      clients: 1,
      up: { offered: { packets: 1, bytes: 47, payload: 5 } },
      down: { offered: { packets: 0 } },
    });
  });

  it('prints the same in words', async () => {
    const args = ['--down-rate=64KiB/s', '--down-queue=32KiB', '--loss=0.5%', '--outage=1h+5s'];
    const { lines } = await running(args, sendOne);
    expect(lines.slice(0, 4)).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:\d+ leads to 127\.0\.0\.1:\d+$/),
      'up    no limit, 0 ms, 0.5 % lost, 1 outage',
      'down  65536 B/s, a queue of 32.8 KB, 0 ms, 0.5 % lost, 1 outage',
      'Ctrl-C ends it.',
    ]);
    expect(lines[4]).toMatch(/^.* m?s, 1 client$/);
    expect(lines.at(-2)).toMatch(/^up: 47 B with headers, 5 B without; .*\/s$/);
  });

  it('reads rates from a file', async () => {
    const file = join(folder, 'trace');
    writeFileSync(file, '# a train\n0,750KB/s\n10,0B/s\n12,100KB/s\n');
    const { lines } = await running([`--up-trace=${file}`, '--json'], () => Promise.resolve());
    const { up } = JSON.parse(lines[0] ?? '') as { up: { rate: unknown[] } };
    expect(up.rate).toHaveLength(3);
  });

  it('gives clients another address at the planned time', async () => {
    const froms: string[] = [];
    const listen = (_: Buffer, { address, port }: { address: string; port: number }): void =>
      void froms.push(`${address}:${port}`);
    server.on('message', listen);
    await running(['--move=1ms@127.0.0.2'], async (port) => {
      const laptop = createSocket('udp4');
      while (!froms.some((from) => from.startsWith('127.0.0.2:'))) {
        laptop.send('where am I', port, '127.0.0.1');
        await once(server, 'message');
      }
      laptop.close();
    });
    server.off('message', listen);
    expect(froms.at(-1)).toMatch(/^127\.0\.0\.2:/);
  });

  it.each([
    [[], 2, /--to HOST:PORT is missing/],
    [['--to=nowhere'], 2, /nowhere: not an address/],
    [['--rate=fast'], 2, /rate: fast: not a rate such as 256KiB\/s/],
    [['--rate=0B/s'], 2, /nothing would get through/],
    [['--up-rate=5'], 2, /up-rate: 5: not a rate/],
    [['--delay=5'], 2, /delay: 5: not a time such as 25ms/],
    [['--delay=2m'], 2, /link up: delay 120000: from 0 to 60000/],
    [['--down-jitter=5ms'], 2, /link down: the jitter is more than the delay/],
    [['--loss=2'], 2, /loss: 2: not a share such as 0\.5%/],
    [['--loss=101%'], 2, /loss 1\.01: from 0 to 1/],
    [['--queue=lots'], 2, /lots: not a/],
    [['--outage=5s'], 2, /outage: 5s: not an outage such as 10s\+2s/],
    [['--outage=5s+0s'], 2, /ends before it begins/],
    [['--move=5'], 2, /move: 5: not a time/],
    [['--move=5s@home'], 2, /--move home: not the address of a host/],
    [['--trace=/nowhere/trace'], 3, /\/nowhere\/trace: there is no such file/],
    [['--rate=1KB/s', '--trace=/dev/null'], 2, /dev\/null: no step of a rate/],
    [['--listen=192.0.2.1:0'], 1, /192\.0\.2\.1:0: not an address of this machine/],
    [['--to=no.such.host.invalid:1'], 1, /no machine of that name/],
    [['--explode'], 2, /unknown option/],
  ])('refuses %j in one line', async (args, code, words) => {
    const wanted = args.some((arg) => arg.startsWith('--to')) || args.length === 0 ? [] : [to()];
    const run = await godwit(['link', ...wanted, ...args]);
    expect(run.stderr).toMatch(/^godwit: [^\n]+; [^\n]+\n$/);
    expect(run.stderr).toMatch(words);
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' });
  });

  it('names the wrong line of a rate trace', async () => {
    const file = join(folder, 'wrong');
    writeFileSync(file, '0,5KB/s\n3,6KB/s\n2,7KB/s\n');
    const run = await godwit(['link', to(), `--trace=${file}`]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`wrong: line 3: its time is not after the one before`);
  });

  it('reports that an address is in use', async () => {
    const { code, stderr } = await godwit([
      'link',
      to(),
      `--listen=127.0.0.1:${server.address().port}`,
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/in use; choose another with --listen/);
  });
});
