import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import { waitFor, within } from './bounded-wait.ts';

const heard = new EventEmitter();

it('a wait ends with what an event brings', async () => {
  let state = 'starting';
  const look = () => ({ found: state === 'idle' ? state : null, seen: state });
  const wait = waitFor({ what: 'the state idle', heard, event: 'told', look });
  state = 'idle';
  heard.emit('told');
  expect(await wait).toBe('idle');
});

it('a wait for what never comes fails with what was seen last, and looks no more', async () => {
  let looks = 0;
  const look = () => ({ found: null, seen: { looks: ++looks } });
  const wait = waitFor({ what: 'the state idle', heard, event: 'told', look, limitMs: 1 });
  await expect(wait).rejects.toThrow('the state idle: not within 0.001 s; seen last: {"looks":1}');
  heard.emit('told');
  expect([looks, heard.listenerCount('told')]).toEqual([1, 0]);
});

it('a look that gets no answer ends its wait, too', async () => {
  const never = () => new Promise<never>(() => undefined);
  const wait = waitFor({ what: 'an icon', heard, event: 'told', look: never, limitMs: 1 });
  await expect(wait).rejects.toThrow('an icon: not within 0.001 s; seen last: nothing yet');
});

it('an error of what is waited for is passed on', async () => {
  const broken = Promise.reject(new Error('the daemon has ended'));
  await expect(within(broken, 'a status', () => null)).rejects.toThrow('the daemon has ended');
});
