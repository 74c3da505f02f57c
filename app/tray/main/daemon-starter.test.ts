import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ControlReply } from '../../../shared/control/protocol.ts';
import { DaemonStarter } from './daemon-starter.ts';

const FULL = {
  code: 'disk-full',
  message: '/data: the disk is full',
  remedy: 'make room',
} as const;

let underway: Array<{ ends: (reply: ControlReply) => void; breaks: (error: Error) => void }>;
let why: string[];
let starter: DaemonStarter;

beforeEach(() => {
  underway = [];
  why = [];
  const up = (): Promise<ControlReply> =>
    new Promise((ends, breaks) => void underway.push({ ends, breaks }));
  starter = new DaemonStarter(up, (reason) => why.push(reason));
});

describe('the start of the daemon by the tray', () => {
  it('runs one command for all who ask while it runs', async () => {
    const asked = [starter.start(), starter.start()];
    expect(underway).toHaveLength(1);
    underway[0]?.ends({ ok: true, result: null });
    expect(await Promise.all(asked)).toEqual([1, 2].map(() => ({ ok: true, result: null })));
    expect(why).toEqual([]);
  });

  it('reports why it has failed, and can be tried again', async () => {
    const first = starter.start();
    underway[0]?.ends({ ok: false, error: FULL });
    expect(await first).toEqual({ ok: false, error: FULL });
    expect(why).toEqual(['/data: the disk is full: make room']);
    const second = starter.start();
    underway[1]?.ends({ ok: true, result: null });
    expect(await second).toMatchObject({ ok: true });
  });

  it('has failed where the command can not be run at all', async () => {
    const first = starter.start();
    underway[0]?.breaks(new Error('too many open files'));
    expect(await first).toMatchObject({ ok: false, error: { message: 'too many open files' } });
    expect(why).toEqual(['too many open files']);
    void starter.start();
    expect(underway).toHaveLength(2);
  });
});
