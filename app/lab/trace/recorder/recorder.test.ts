import { beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualTime } from '../../simulator/clock/virtual-time.ts';
import type { RecordedPart } from '../../../../shared/control/recording.ts';
import { instant } from '../../../../shared/model/time.ts';
import { faultsIn, stillRecorder } from '../../../../test/support/still-recorder.ts';
import type { TraceRecord } from '../record.ts';
import type { Recorder } from './recorder.ts';

const MOST = 20_000;
const PART = 5000;

let time: VirtualTime;
let recorder: Recorder;

beforeEach(() => {
  time = new VirtualTime(instant(1000));
  recorder = stillRecorder(time);
});

function pass(ms: number): void {
  const end = time.now() + ms;
  for (let next = time.next(); next !== null && next <= end; next = time.next()) time.step();
  time.skipTo(instant(end));
}

function note(...paths: string[]): void {
  for (const path of paths) recorder.note({ pid: 7 }, { op: 'getattr', path });
}

/** As far as it is answered by now; null: it waits. */
async function answerOf(part: Promise<RecordedPart<TraceRecord>>): Promise<string[] | null> {
  const soon = new Promise<null>((resolve) => setImmediate(() => resolve(null)));
  return namesIn(await Promise.race([part, soon]));
}

function namesIn(part: RecordedPart<TraceRecord> | null): string[] | null {
  if (part === null) return null;
  expect(faultsIn(part.records)).toEqual([]);
  return part.records.map(({ op, path, length }) =>
    op === 'gap' ? `gap of ${length}` : (path ?? ''),
  );
}

describe('a recording of a daemon', () => {
  it('has the calls during its time, with their times', async () => {
    note('/before');
    expect(recorder.isOn).toBe(false);
    const { recording } = recorder.begin();
    pass(250);
    note('/a');
    pass(1.5);
    note('/b');
    expect((await recorder.next(recording, 0, 0)).records).toEqual([
      { at: 250_000, pid: 7, op: 'getattr', path: '/a' },
      { at: 251_500, pid: 7, op: 'getattr', path: '/b' },
    ]);
  });

  it('names the machine as it is called at that time', () => {
    const names = [undefined, 'ada'];
    const named = stillRecorder(time, () => names.shift());
    const { recording } = named.begin();
    named.note({ pid: 7 }, { op: 'getattr', path: '/a' });
    named.note({ pid: 7 }, { op: 'getattr', path: '/a' });
    const { records } = named.end(recording, 0);
    expect(faultsIn(records)).toEqual([]);
    expect(records.map(({ client }) => client)).toEqual([undefined, 'ada']);
  });

  it('repeats records that have not arrived and forgets the others', async () => {
    const { recording } = recorder.begin();
    note('/a', '/b');
    await recorder.next(recording, 0, 0);
    expect(namesIn(await recorder.next(recording, 0, 0))).toEqual(['/a', '/b']);
    const part = await recorder.next(recording, 1, 0);
    expect([part.first, namesIn(part)]).toEqual([1, ['/b']]);
    await expect(recorder.next(recording, 0, 0)).rejects.toMatchObject({ code: 'bad-message' });
    await expect(recorder.next(recording, 3, 0)).rejects.toMatchObject({ code: 'bad-message' });
  });

  it('lets its reader wait for records and collects for a moment', async () => {
    const { recording } = recorder.begin();
    const part = recorder.next(recording, 0, 30_000);
    pass(20_000);
    note('/a');
    pass(249);
    note('/b');
    expect(await answerOf(part)).toBeNull();
    pass(1);
    expect(await answerOf(part)).toEqual(['/a', '/b']);
  });

  it('answers with nothing when the waiting time is over', async () => {
    const { recording } = recorder.begin();
    const part = recorder.next(recording, 0, 30_000);
    pass(30_000);
    expect(await answerOf(part)).toEqual([]);
  });

  it('is delivered in parts, and a full part at once', async () => {
    const { recording } = recorder.begin();
    const part = recorder.next(recording, 0, 30_000);
    for (let count = 0; count < PART + 1; count++) note(`/${count}`);
    expect(await answerOf(part)).toHaveLength(PART);
    expect(namesIn(await recorder.next(recording, PART, 0))).toEqual([`/${PART}`]);
  });

  it('counts dropped records where they are missing', async () => {
    const { recording } = recorder.begin();
    for (let count = 0; count < MOST + 10; count++) note(`/${count}`);
    await recorder.next(recording, 0, 0);
    await recorder.next(recording, PART, 0);
    note('/after');
    const rest = namesIn(recorder.end(recording, PART)) ?? [];
    expect(rest).toHaveLength(MOST - PART + 1);
    expect(rest.slice(-3)).toEqual([`/${MOST - 2}`, 'gap of 11', '/after']);
  });

  it('reports dropped records also at its end', () => {
    const { recording } = recorder.begin();
    for (let count = 0; count < MOST + 1; count++) note(`/${count}`);
    expect(namesIn(recorder.end(recording, 0))?.at(-1)).toBe('gap of 2');
  });

  it('ends when it is stopped', async () => {
    const { recording } = recorder.begin();
    const waiting = recorder.next(recording, 0, 30_000);
    note('/a');
    expect(namesIn(recorder.end(recording, 0))).toEqual(['/a']);
    expect(await answerOf(waiting)).not.toBeNull();
    expect(recorder.isOn).toBe(false);
    await expect(recorder.next(recording, 0, 0)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('ends when its reader stops asking and not before', async () => {
    const { recording } = recorder.begin();
    pass(59_999);
    await recorder.next(recording, 0, 0);
    pass(59_999);
    expect(recorder.isOn).toBe(true);
    pass(1);
    expect(recorder.isOn).toBe(false);
    const other = recorder.begin().recording;
    void recorder.next(other, 0, 30_000);
    pass(30_000);
    await answerOf(Promise.resolve({ recording, first: 0, records: [] }));
    pass(59_999);
    expect(recorder.isOn).toBe(true);
    pass(1);
    expect(recorder.isOn).toBe(false);
  });
});

it('several recordings run at once and independently, up to a limit', async () => {
  const first = recorder.begin().recording;
  note('/a');
  const second = recorder.begin().recording;
  note('/b');
  expect(namesIn(await recorder.next(first, 0, 0))).toEqual(['/a', '/b']);
  expect(namesIn(await recorder.next(second, 0, 0))).toEqual(['/b']);
  recorder.begin();
  recorder.begin();
  expect(() => recorder.begin()).toThrow(/4 recordings/);
});

it('a daemon that ends answers waiting readers and delivers the rest', async () => {
  const { recording } = recorder.begin();
  const waiting = recorder.next(recording, 0, 30_000);
  note('/a');
  recorder.close();
  expect(await answerOf(waiting)).toEqual(['/a']);
  note('/b');
  expect(namesIn(await recorder.next(recording, 0, 30_000))).toEqual(['/a']);
  await expect(recorder.next(recording, 1, 30_000)).rejects.toMatchObject({ code: 'not-running' });
  expect(() => recorder.begin()).toThrow();
  expect(time.next()).toBeNull();
});
