/** The status for people, and how it is watched. */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { FetchEntry, QueueEntry } from '../../shared/control/queue.ts';
import { UNANSWERED } from '../../shared/model/all-sent.ts';
import type { StatusSnapshot } from '../../shared/control/snapshot.ts';
import { NOTES } from '../../shared/wire/error-codes.ts';
import { FakeControl } from '../../test/support/fake-control.ts';
import { IDLE } from '../../test/support/fake-daemon.ts';
import { Interruption } from './interruption.ts';
import { LiveBlock } from './live-block.ts';
import { runCli } from './run.ts';
import { statusBlock, type Moving } from './status-block.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4);
const style = { colours: false, shown: (path: string) => `/${path}`, home: '/home/ann', now: NOW };
const NOTHING: Moving = { queue: null, fetches: null };
const { metadata, data } = IDLE.queues;

const block = (change: Partial<StatusSnapshot>, moving = NOTHING): string[] =>
  statusBlock({ ...IDLE, ...change }, moving, style);

describe('the status for people', () => {
  it('is two lines long when all is as usual', () => {
    expect(block({})).toEqual([
      '● Everything is synced with 127.0.0.1:1 (1 ms)',
      '  Folder   ~/Godwit',
    ]);
  });

  it('says that its daemon is the chosen one', () => {
    const lines = statusBlock(IDLE, NOTHING, { ...style, isChosen: true });
    expect(lines[2]).toBe('  Daemon   the one that `godwit use` has chosen');
  });

  it.each<[Partial<StatusSnapshot>, string]>([
    [{ connected: false, state: 'offline' }, '○ Offline: 127.0.0.1:1 does not answer'],
    [{ paused: true, state: 'paused' }, '● Paused; `godwit resume` goes on'],
    [
      { paused: true, state: 'paused', connected: false },
      '● Paused; `godwit resume` goes on, and not connected to 127.0.0.1:1',
    ],
    [{ state: 'incomplete' }, '● Connected to 127.0.0.1:1 (1 ms)'],
    [
      { state: 'trickling', unsettled: { paths: 0, commits: 2 } },
      '● Syncing slowly with 127.0.0.1:1 (1 ms)',
    ],
  ])('begins with how it is: %j', (change, line) => expect(block(change)[0]).toBe(line));

  it.each([
    [1, '/doc: its contents have not come from the laptop that made it'],
    [3, '/doc: its contents have not come from the laptop that made it (and 2 more)'],
  ])('does not say that all is synced where %i files have no contents', (files, line) => {
    const lines = block({ unstored: { files, path: 'doc' } });
    expect(lines[0]).toBe('● Connected to 127.0.0.1:1 (1 ms)');
    expect(lines).toContain(`· ${line}`);
  });

  it.each([
    [30, 'just now'],
    [300, '5 min ago'],
    [7200, '2 h ago'],
    [300_000, '3 d ago'],
  ])('shows that a file moved %i seconds ago: %s', (seconds, words) => {
    const when = new Date(NOW - seconds * 1000).toISOString();
    const recent = [{ volume: 'home', path: 'a', how: 'sent' as const, when }];
    expect(block({ recent })[0]).toBe(
      `● Everything is synced with 127.0.0.1:1 (1 ms), last change ${words}`,
    );
    expect(block({ recent, state: 'syncing' })[0]).not.toContain('last change');
  });

  it('shows a limit beside what it slows down, and a server that does not keep it', () => {
    const limits = { upload: 500_000, download: 2_000_000, server: 'paces' } as const;
    expect(block({ limits })).toEqual(block({}));
    const estimate = { bytesPerSecond: 480_000, seconds: 10, why: null };
    const queues = { metadata, data: { ...data, updates: 1, inFlight: 1, bytes: 5e6, estimate } };
    const rates = { up: 480_000, down: 1_900_000, classes: {} as never };
    const moving: Partial<StatusSnapshot> = {
      ...{ queues, limits, link: { ...IDLE.link, rates } },
      fetches: { running: 1, bytes: 5e6, receivedBytes: 0 },
    };
    const lines = (change: Partial<StatusSnapshot>) => block({ ...moving, ...change }).join('\n');
    expect(lines({})).toContain('about 10 s at 480.0 KB/s (limit 500.0 KB/s)');
    expect(lines({})).toContain('at 1.9 MB/s (limit 2.0 MB/s)');
    expect(lines({ limits: { ...limits, server: 'too-old' } })).toContain(
      '(limit 2.0 MB/s, not kept: the server is too old for that)',
    );
    expect(lines({ link: IDLE.link })).toContain('left, (limit 2.0 MB/s)');
    const uploadOnly = { ...limits, download: null, server: 'too-old' } as const;
    expect(lines({ limits: uploadOnly })).not.toContain('not kept');
  });

  it('shows the quota of a volume that has one', () => {
    const quota = { limit: 5e9, used: 4e9, free: 1e9 };
    const [home] = IDLE.volumes.map((volume) => ({ ...volume, quota }));
    const volumes = home === undefined ? [] : [home];
    expect(block({ volumes })).toContain('  Quota    4.0 GB of 5.0 GB used');
    const both = [...volumes, ...IDLE.volumes];
    expect(block({ volumes: both })).toContain('  Quota    4.0 GB of 5.0 GB used in home');
  });

  it('shows what moves, how far it is, and how long that takes', () => {
    const sending = { state: 'on its way', kind: 'store', volume: 'home' } as const;
    const entries = [
      { ...sending, path: 'film.mp4', bytes: 2_000_000, sentBytes: 1_080_000 },
      { ...sending, path: 'later', state: 'ready', bytes: 1, sentBytes: 0 },
    ] as unknown as QueueEntry[];
    const fetching = { state: 'on its way', path: 'b', bytes: 1000, receivedBytes: 120 };
    const fetches = [{ ...fetching, volume: 'home' }] as unknown as FetchEntry[];
    const estimate = { bytesPerSecond: 128_000, seconds: 100, why: null };
    const change = {
      state: 'syncing' as const,
      queues: { metadata, data: { ...data, updates: 1085, bytes: 12_500_000, estimate } },
      fetches: { running: 1, bytes: 1000, receivedBytes: 120 },
      unsettled: { paths: 0, commits: 1 },
    };
    expect(block(change, { queue: { entries }, fetches: { entries: fetches } }).slice(2)).toEqual([
      '↑ 1,085 changes to send, 12.5 MB left, about 1 min 40 s at 128.0 KB/s',
      '    /film.mp4  54 % of 2.0 MB',
      '↓ 1 file to fetch, 880 B left, 1 change of others to bring in',
      '    /b  12 % of 1.0 KB',
    ]);
  });

  it('says of what is sent that the server has not answered yet', () => {
    const queues = {
      metadata: { ...metadata, updates: 1, inFlight: 1 },
      data: { ...data, updates: 2, inFlight: 2, bytes: 9, sentBytes: 9 },
    };
    const change = { state: 'syncing' as const, queues };
    expect(block(change).slice(2)).toEqual([`↑ 3 changes ${UNANSWERED}`]);
    const some = { ...queues, data: { ...queues.data, sentBytes: 8 } };
    expect(block({ ...change, queues: some })[2]).toMatch(/^↑ 3 changes to send, 1 B left/);
  });

  it('names the volume of a path that is none of the folder', () => {
    const error = { code: 'sync-blocked', message: 'refused', remedy: 'ask', path: 'x' };
    const lines = statusBlock({ ...IDLE, errors: [{ ...error, volume: 'photos' }] }, NOTHING, {
      ...style,
      shown: (path, volume) => `${volume}:/${path}`,
    });
    expect(lines.at(-1)).toBe('✗ photos:/x: refused; ask');
  });

  it('begins a problem with its file and ends it with what to do, the gravest first', () => {
    const AGO = new Date(NOW - 130_000).toISOString();
    const [code = ''] = [...NOTES];
    const note = { code, message: 'it is not sent', remedy: 'see', path: 'c' };
    const error = { code: 'place-taken', message: 'a link', remedy: 'move it', path: 'a' };
    const rows = block({
      state: 'error',
      errors: [note, error],
      conflicts: [{ id: 1, when: 'T', path: 'x', copy: 'y', kind: 'contents' }],
      othersRemoved: [
        {
          ...{ device: 2, by: 'laptop-b', volume: 'home', files: 1593, from: 7, to: 1600 },
          since: AGO,
        },
      ],
      devices: [
        { device: 3, name: 'evil\u001b[2J', since: AGO, joined: AGO },
        { device: 2, name: 'laptop-b', since: AGO },
      ],
      waiting: [
        { path: 'a', reason: 'a link' },
        { path: 'w', reason: 'it has changed' },
        { path: null, reason: '3 changes to send' },
      ],
    });
    expect(rows[0]).toMatch(/^✗ /);
    expect(rows.slice(2)).toEqual([
      '✗ /a: a link; move it',
      '! /c: it is not sent; see',
      '! 1 conflict: see `godwit conflicts`',
      '! 1,593 files were removed on laptop-b, 2 min ago: `godwit restore / --removed-by 2` brings them back',
      '! a new laptop joined: evil\\x1b[2J, paired 2 min ago; if that was not you: `godwit server revoke 3` on the server',
      '· /w: it has changed',
    ]);
  });

  it.each([
    [['a'], '/a'],
    [['a', 'b', 'c'], '/a, /b, /c'],
    [['a', 'b', 'c', 'd', 'e'], '/a, /b, /c and 2 more'],
  ])('says once what is wrong with all of %j', (paths, named) => {
    const full = { code: 'over-quota', message: 'the volume is full', remedy: 'ask' };
    const other = { code: 'place-taken', message: 'a link', remedy: 'move it', path: 'x' };
    const errors = [...paths.map((path) => ({ ...full, path })), other];
    expect(block({ state: 'error', errors }).slice(2)).toEqual([
      `✗ ${named}: the volume is full; ask`,
      '✗ /x: a link; move it',
    ]);
  });

  it('stays on a screen, in one line each, and never drives the terminal', () => {
    const long = `\u001b[2J${'d'.repeat(3000)}\n`;
    const error = { code: 'internal', message: long, remedy: 'none', path: null };
    const errors = Array.from({ length: 30 }, (_, at) => ({ ...error, remedy: `none ${at}` }));
    const rows = block({ errors, folder: `/${long}`, state: 'error' });
    expect(rows.length).toBeLessThan(20);
    expect(rows.at(-1)).toBe('  and 20 more: `godwit status --verbose`');
    expect(rows.join('')).not.toContain('\u001b');
    expect(rows.join('')).not.toContain('\n');
  });

  it('has colours only where they are wanted, on signs alone', () => {
    expect(statusBlock(IDLE, NOTHING, { ...style, colours: true })[0]).toBe(
      '\u001b[32m●\u001b[0m Everything is synced with 127.0.0.1:1 (1 ms)',
    );
  });

  it('shortens no folder that only begins like the home folder', () => {
    const folder = (path: string): string | undefined => block({ folder: path })[1];
    expect(folder('/home/anna/x')).toBe('  Folder   /home/anna/x');
    expect(folder('/home/ann')).toBe('  Folder   ~');
  });
});

it('several laptops that have joined are one line', () => {
  const since = new Date(NOW - 130_000).toISOString();
  const devices = [1, 2, 3, 4, 5, 6, 7].map((device) => ({
    ...{ device, name: `laptop-${device}`, since },
    ...(device === 1 ? {} : { joined: since }),
  }));
  const lines = block({ devices }).filter((line) => line.startsWith('!'));
  const named = [2, 3, 4, 5, 6].map((n) => `laptop-${n} (number ${n}, paired 2 min ago)`);
  expect(lines).toEqual([
    `! 6 new laptops joined: ${named.join(', ')} and 1 more; if one was not you: \`godwit server revoke NUMBER\` on the server`,
  ]);
});

describe('lines in their place', () => {
  const written = (...blocks: string[][]): string[] => {
    const texts: string[] = [];
    const write = (text: string): boolean => texts.push(text) > 0;
    const live = new LiveBlock({ write, isTTY: true, columns: 24, rows: 4 });
    for (const lines of blocks) live.show(lines);
    return texts;
  };

  it('replace those before, however many these were', () => {
    const [first, second] = written(['a', 'b', 'c'], ['x']);
    expect(first).toBe('\r\u001b[2Ka\n\u001b[2Kb\n\u001b[2Kc\n\u001b[J');
    expect(second).toBe('\r\u001b[3A\u001b[2Kx\n\u001b[J');
  });

  it('are cut to the screen', () => {
    const [text = ''] = written(['1', '2', '3', '4', '5'].map((each) => each.repeat(40)));
    expect(text.split('\n')).toHaveLength(4);
    expect(text).toContain(`${'1'.repeat(23)}\n`);
    expect(written([`\u001b[31mx\u001b[0m${'y'.repeat(40)}`])[0]).toContain(
      `\u001b[31mx\u001b[0m${'y'.repeat(22)}\n`,
    );
  });
});

describe('lines in their place that are sentences', () => {
  const shown = (rows: number, ...lines: string[]): string[] => {
    const texts: string[] = [];
    const write = (text: string): boolean => texts.push(text) > 0;
    new LiveBlock({ write, isTTY: true, columns: 24, rows }, 'wrap').show(lines);
    const [text = ''] = texts;
    // eslint-disable-next-line no-control-regex -- what clears a line
    return text.replace(/\r|\u001b\[(2K|J)/g, '').split('\n');
  };

  it('go on in the next line with what is to be done', () => {
    const remedy = '`godwit server revoke 3`';
    expect(shown(9, `\u001b[33m!\u001b[0m joined: b; ${remedy} on the server`, 'x')).toEqual([
      '\u001b[33m!\u001b[0m joined: b; `godwit',
      '    server revoke 3` on',
      '    the server',
      'x',
      '',
    ]);
    expect(shown(9, `    ${'y'.repeat(30)}`)).toEqual([
      `    ${'y'.repeat(19)}`,
      `    ${'y'.repeat(11)}`,
      '',
    ]);
  });

  it('end with how many do not fit on the screen', () => {
    expect(shown(4, '1', '2', '3')).toEqual(['1', '2', '3', '']);
    expect(shown(4, '1', '2', '3', '4')).toEqual(['1', '2', '... and 2 more lines', '']);
  });
});

describe('godwit status --watch', () => {
  let control: FakeControl;
  afterEach(() => control.close());

  function watched(isTTY: boolean, ...more: string[]) {
    const stdout = Object.assign(new PassThrough(), { isTTY, columns: 80, rows: 24 });
    const stderr = new PassThrough();
    const interruption = new Interruption();
    const io = { stdin: new PassThrough(), stdout, stderr };
    const args = ['status', '--watch', '--data', control.data, ...more];
    const seen = { out: '', err: '' };
    stdout.on('data', (part: Buffer) => (seen.out += part.toString()));
    stderr.on('data', (part: Buffer) => (seen.err += part.toString()));
    const shows = async (words: string): Promise<void> => {
      while (!`${seen.out}${seen.err}`.includes(words)) {
        await Promise.race([once(stdout, 'data'), once(stderr, 'data')]);
      }
    };
    return { run: runCli(args, io, interruption), seen, shows, interruption };
  }

  it('redraws on a terminal, waits for a daemon that ends, and shows the next one', async () => {
    control = new FakeControl();
    await control.start();
    const { run, seen, shows, interruption } = watched(true);
    await shows('Everything is synced');
    control.daemon.become({ state: 'syncing', unsettled: { paths: 0, commits: 1 } });
    await shows('Syncing with');
    await control.stop();
    await shows('waiting for it to start again');
    control.daemon.become({ unsettled: { paths: 0, commits: 0 }, paused: true });
    await control.start();
    await shows('Paused');
    interruption.interrupt();
    expect(await run).toBe(0);
    expect(seen.out).toContain('\u001b[2A');
    expect(seen.err).toBe('');
  });

  it('prints a line for each change elsewhere, and waits as well', async () => {
    control = new FakeControl();
    await control.start();
    const { run, seen, shows, interruption } = watched(false);
    await shows('Everything is synced\n');
    await control.stop();
    await shows('waiting for it to start again');
    control.daemon.become({ summary: 'It is back' });
    await control.start();
    await shows('It is back\n');
    interruption.interrupt();
    expect(await run).toBe(0);
    expect(seen.out).toBe('Everything is synced\nIt is back\n');
  });

  it('prints an object for each change with --json', async () => {
    control = new FakeControl();
    await control.start();
    const { run, seen, shows, interruption } = watched(true, '--json');
    await shows('"state":"idle"');
    interruption.interrupt();
    expect(await run).toBe(0);
    expect(JSON.parse(seen.out)).toMatchObject({ state: 'idle', pid: 4711 });
  });

  it('fails when no daemon runs at its beginning', async () => {
    control = new FakeControl();
    const { run } = watched(true);
    expect(await run).toBe(5);
  });
});
