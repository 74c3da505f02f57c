/** The free space of the disk, measured at intervals and when somebody asks. */
import { expect, it } from '@jest/globals';
import { milliseconds } from '../../shared/model/time.ts';
import { DISK_LOOK } from '../limits.ts';
import type { Event } from '../core/events.ts';
import { DiskWatch } from './disk-watch.ts';

interface Timer {
  readonly delay: number;
  readonly fire: () => void;
  isCancelled: boolean;
}

function watched() {
  const disk = { free: 10, total: 100 };
  const [timers, posted]: [Timer[], Event[]] = [[], []];
  const start = (delay: number, fire: () => void) => {
    const timer = { delay, fire, isCancelled: false };
    timers.push(timer);
    return { cancel: () => void (timer.isCancelled = true) };
  };
  const log = { warn: () => undefined } as never;
  const watch = new DiskWatch({ diskRoom: () => ({ ...disk }), timers: { start }, log }, (event) =>
    posted.push(event),
  );
  const waiting = () => timers.filter(({ isCancelled }) => !isCancelled);
  return { disk, watch, waiting, posted };
}

it('the room of the disk is posted when it has changed, and not otherwise', () => {
  const { disk, watch, waiting, posted } = watched();
  watch.look();
  waiting()[0]?.fire();
  disk.free = 50;
  waiting()[0]?.fire();
  expect(posted).toEqual([
    { kind: 'disk', room: { free: 10, total: 100 }, parts: 0 },
    { kind: 'disk', room: { free: 50, total: 100 }, parts: 0 },
  ]);
});

it('a look that somebody asks for takes the place of the next one', () => {
  const { watch, waiting } = watched();
  watch.look();
  watch.look();
  expect(waiting().map(({ delay }) => delay)).toEqual([milliseconds(DISK_LOOK)]);
  watch.close();
  expect(waiting()).toEqual([]);
});
