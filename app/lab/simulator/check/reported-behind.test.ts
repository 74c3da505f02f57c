import { expect, it } from '@jest/globals';
import {
  attributesOf,
  called,
  fakeLaptop,
  FILE,
  foundBy,
  VOLUME,
} from '../../../../test/support/observations.ts';
import type { DeviceId } from '../../../../shared/model/change.ts';
import { unsharedIn } from '../../../../shared/model/fid.ts';
import type { RowWrite } from '../../../../shared/model/stored.ts';
import type { Observation } from './observation.ts';
import { reportedBehind } from './reported-behind.ts';

const WRITER = 2 as DeviceId;
const committed = (...writes: RowWrite[]): Observation => ({ kind: 'committed', writes });
const markedAs = (fid: typeof FILE) => committed({ kind: 'dirty', fid, device: WRITER, seq: null });
const cleaned = committed({ kind: 'clean', fid: FILE, device: WRITER });
const [nothing, more] = [committed(), committed()];

function read(): Observation[] {
  const { client } = fakeLaptop('bob');
  const attributes = { ...attributesOf(), behind: true as const };
  return called(client, 'open', [FILE, { mode: 'read' }], { handle: 1, path: '', attributes });
}
const [asked, answered] = read() as [Observation, Observation];

it('the checker finds a false warning that a version is behind', async () => {
  const found = await foundBy(reportedBehind, [nothing, ...read(), nothing, more]);
  expect(found).toEqual([expect.stringContaining('and no device had anything of it hidden')]);
});

it.each<[string, Observation[]]>([
  ['the file is marked', [markedAs(FILE), ...read(), nothing, more]],
  ['somebody has something of its own hidden', [markedAs(unsharedIn(VOLUME)), ...read(), nothing, more]], // prettier-ignore
  ['it was marked in between', [asked, markedAs(FILE), cleaned, answered, nothing, more]],
  ['the mark was about to be durable', [nothing, ...read(), nothing, markedAs(FILE)]],
])('the checker accepts the warning when %s', async (_, observations) => {
  expect(await foundBy(reportedBehind, observations)).toEqual([]);
});
