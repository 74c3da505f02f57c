import { expect, it } from '@jest/globals';
import {
  attributesOf,
  called,
  fakeLaptop,
  FILE,
  foundBy,
  logged,
  storeOf,
  type FakeLaptop,
} from '../../../../test/support/observations.ts';
import type { DeviceId } from '../../../../shared/model/change.ts';
import type { RowWrite } from '../../../../shared/model/stored.ts';
import { updateSeq } from '../../../../shared/model/update.ts';
import type { Observation } from './observation.ts';
import { hiddenRead } from './hidden-read.ts';

const WRITER = 2 as DeviceId;
const committed = (...writes: RowWrite[]): Observation => ({ kind: 'committed', writes });
const marked = committed({ kind: 'dirty', fid: FILE, device: WRITER, seq: updateSeq(7) });
const cleaned = committed({ kind: 'clean', fid: FILE, device: WRITER });
const [nothing, more] = [committed(), committed()];

function read(attributes = attributesOf()): Observation[] {
  const { client } = fakeLaptop('bob');
  const opened = { handle: 1, path: '', attributes };
  return called(client, 'open', [FILE, { mode: 'read' }], opened);
}

it('the checker finds an old version shown without a warning while it was marked', async () => {
  const found = await foundBy(hiddenRead, [marked, ...read(), nothing, more]);
  expect(found).toEqual([
    expect.stringContaining('bob opened 1.2.2 and was shown version 1 as cur'),
  ]);
});

it.each<[string, Observation[]]>([
  ['was warned that it is behind', [marked, ...read({ ...attributesOf(), behind: true }), nothing, more]], // prettier-ignore
  ['has an own change over it', [marked, ...read(attributesOf({}, 'queued')), nothing, more]], // prettier-ignore
  ['asked before it was marked', [...read(), marked, nothing, more]],
  ['was answered when the mark was about to end', [marked, ...read(), nothing, cleaned]],
  ['asked after its end', [marked, cleaned, ...read(), nothing, more]],
])('the checker accepts a read when the reader %s', async (_, observations) => {
  expect(await foundBy(hiddenRead, observations)).toEqual([]);
});

it.each([
  ['an earlier question', true, 0],
  ['a later question', false, 1],
])(
  'the checker judges a promise that came with the answer to %s: %s',
  async (_, wasAskedAbout, count) => {
    const { client } = fakeLaptop('bob');
    const { inside } = client.daemon;
    if (wasAskedAbout) inside.sharing.questions.asked(FILE);
    let looks = 0;
    Object.assign(inside, { isPromised: () => looks++ > 0 });
    const opened = { handle: 1, path: '', attributes: attributesOf() };
    const opens = called(client, 'open', [FILE, { mode: 'read' }], opened);
    expect(await foundBy(hiddenRead, [marked, ...opens, nothing, more])).toHaveLength(count);
  },
);

/** A laptop that has a save of the file in its log, which it has told of and not sent, and what shows it to a checker. */
function hiding(): { readonly fake: FakeLaptop; readonly isThere: Observation } {
  const fake = fakeLaptop('ada');
  const { client, log } = fake;
  const { inside } = client.daemon;
  const save = { seq: updateSeq(7), state: 'queued', update: storeOf(1, 'b') };
  const hidden = { isHeard: true, isBeginning: false, inFlight: 0, fresh: new Set() };
  Object.assign(log, { get: () => save, index: { onVnode: () => [save] }, hidden });
  Object.assign(inside, { meta: new Map([['device', WRITER]]) });
  Object.assign(inside.names, { attributes: new Map([[FILE, attributesOf()]]) });
  Object.assign(inside.names.volumes, { rightsIn: () => 'write' });
  Object.assign(inside.sharing, { settings: { invalidations: 'async' } });
  return { fake, isThere: logged(client) };
}

/** For what changes between two observations. */
function listening(): { found: string[]; hear: (...observations: Observation[]) => void } {
  const found: string[] = [];
  const checker = hiddenRead.make((text) => found.push(text));
  return { found, hear: (...all) => all.forEach((each) => checker.hear?.(each)) };
}

const accessOf = (revoked: boolean): Observation => {
  return { kind: 'access', devices: [{ device: WRITER, fingerprint: 'ada', revoked, access: [] }] };
};

it('the checker finds an old version shown while a connected laptop had announced a save', async () => {
  expect(await foundBy(hiddenRead, [hiding().isThere, ...read()])).toEqual([
    expect.stringContaining('ada, who was connected all the time, had save 7 of it hidden'),
  ]);
});

it('the checker ignores a revoked laptop until it is back', async () => {
  const { isThere } = hiding();
  const [asked, answered] = read() as [Observation, Observation];
  const [revoked, back] = [accessOf(true), accessOf(false)];
  expect(await foundBy(hiddenRead, [isThere, revoked, asked, answered])).toEqual([]);
  expect(await foundBy(hiddenRead, [isThere, asked, revoked, answered])).toEqual([]);
  expect(await foundBy(hiddenRead, [isThere, revoked, back, asked, answered])).toHaveLength(1);
});

it('the checker ignores a laptop whose session was with the server before a restore', () => {
  const { fake, isThere } = hiding();
  const { found, hear } = listening();
  hear(isThere, { kind: 'restored', epoch: 'next', volumes: [] }, ...read());
  expect(found).toEqual([]);
  fake.session.downSince = 1;
  hear(...read());
  expect(found).toHaveLength(1);
});

it('the checker ignores a laptop that has ended before the answer', () => {
  const { fake, isThere } = hiding();
  const { found, hear } = listening();
  const [asked, answered] = read() as [Observation, Observation];
  hear(isThere, asked);
  const nobody = (): never => {
    throw new Error('its daemon does not run');
  };
  Object.defineProperties(fake.client, { running: { value: false }, daemon: { get: nobody } });
  hear(answered);
  expect(found).toEqual([]);
});

it('the checker ignores what a server did before it died', async () => {
  const ended: Observation = { kind: 'ended', who: 'server', how: 'killed' };
  expect(await foundBy(hiddenRead, [marked, ...read(), ended, nothing, more])).toEqual([]);
});
