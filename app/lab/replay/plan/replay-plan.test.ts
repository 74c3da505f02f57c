import { describe, expect, it } from '@jest/globals';
import { makeFid } from '../../../../shared/model/fid.ts';
import type { TraceRecord } from '../../trace/record.ts';
import { PlanBuilder, type ReplayPlan } from './replay-plan.ts';
import type { Step } from './step.ts';

function planOf(...records: readonly TraceRecord[]): ReplayPlan {
  const builder = new PlanBuilder();
  for (const record of records) builder.add(record);
  return builder.finish([]);
}

const stepsOf = (plan: ReplayPlan): Step[] => plan.processes.flatMap(({ steps }) => [...steps]);

describe('the plan of a trace', () => {
  it('has a process for each number in order of their start, with think times', () => {
    const plan = planOf(
      { at: 0, pid: 9, program: 'cc', op: 'getattr', path: '/a' },
      { at: 100, pid: 4, op: 'getattr', path: '/b' },
      { at: 350, pid: 9, program: 'cc', op: 'getattr', path: '/a' },
    );
    expect(plan.processes.map(({ name, program }) => [name, program])).toEqual([
      ['cc (9)', 'cc'],
      ['process 4', ''],
    ]);
    expect(stepsOf(plan).map(({ thinkUs }) => thinkUs)).toEqual([0, 350, 100]);
    expect([plan.steps, plan.seconds]).toEqual([3, 0.00035]);
  });

  it('has a process for each number of each machine', () => {
    const plan = planOf(
      { at: 0, client: 'ada', pid: 9, op: 'getattr', path: '/a' },
      { at: 1, client: 'bob', pid: 9, op: 'getattr', path: '/a' },
      { at: 2, client: 'ada', home: 'bob', pid: 9, op: 'getattr', path: '/b' },
      { at: 3, client: 'bob', pid: 0, program: 'godwitd', op: 'getattr', path: '/b' },
      { at: 4, client: 'ada', pid: 0, program: 'godwitd', op: 'getattr', path: '/b' },
    );
    expect(plan.processes.map(({ client, steps }) => [client, steps.length])).toEqual([
      ...[
        ['ada', 2],
        ['bob', 1],
      ],
      ...[
        ['bob', 1],
        ['ada', 1],
      ],
    ]);
  });

  it('joins operations with the last matching open of their file', () => {
    const plan = planOf(
      { at: 0, pid: 1, op: 'open', path: '/f', flags: ['read'] },
      { at: 1, pid: 1, op: 'open', path: '/f', flags: ['write'] },
      { at: 2, pid: 1, op: 'open', path: '/f', flags: ['read'] },
      { at: 3, pid: 1, op: 'write', path: '/f', offset: 0, length: 1 },
      { at: 4, pid: 1, op: 'close', path: '/f' },
    );
    const [first, second, third, write, close] = stepsOf(plan) as [Step, Step, Step, Step, Step];
    expect(write.on).toBe(second);
    expect([first.writes, second.writes, third.writes]).toEqual([false, true, false]);
    expect(close.on).toBe(third);
  });

  it('lets a child write through a file that its parent opened', () => {
    const plan = planOf(
      { at: 0, pid: 1, op: 'create', path: '/log' },
      { at: 1, pid: 2, op: 'write', path: '/log', offset: 0, length: 1 },
    );
    const [create, write] = stepsOf(plan) as [Step, Step];
    expect([write.on, write.after.includes(create)]).toEqual([create, true]);
  });

  it('lets a process wait only for files that another process made, wrote or removed', () => {
    const plan = planOf(
      { at: 0, pid: 1, op: 'mkdir', path: '/d' },
      { at: 1, pid: 1, op: 'create', path: '/d/f' },
      { at: 2, pid: 1, op: 'write', path: '/d/f', offset: 0, length: 1 },
      { at: 3, pid: 1, op: 'close', path: '/d/f' },
      { at: 4, pid: 1, op: 'getattr', path: '/d/f' },
      { at: 5, pid: 2, op: 'getattr', path: '/d/f' },
      { at: 6, pid: 2, op: 'getattr', path: '/other' },
    );
    const [mkdir, , , close, own, other, apart] = stepsOf(plan) as [
      ...[Step, Step, Step, Step],
      ...[Step, Step, Step],
    ];
    expect(own.after).toEqual([]);
    expect(other.after).toEqual([close, mkdir]);
    expect(apart.after).toEqual([]);
  });

  it('finds paths when the tracer recorded vnodes', () => {
    const [root, dir, file] = [makeFid(1, 1, 1), makeFid(1, 5, 2), makeFid(1, 6, 2)];
    const plan = planOf(
      { at: 0, pid: 1, op: 'getattr', dir: root, path: 'd', fid: dir },
      { at: 1, pid: 1, op: 'open', dir, path: 'f', fid: file, flags: ['read'] },
      { at: 2, pid: 1, op: 'rename', dir: root, path: 'd', to: 'e', toDir: root },
      { at: 3, pid: 1, op: 'getattr', fid: file },
      { at: 4, pid: 1, op: 'getattr', fid: makeFid(1, 77, 3) },
    );
    expect(stepsOf(plan).map(({ path }) => path)).toEqual([
      ...['/d', '/d/f', '/d', '/e/f'],
      '/nameless/1.77.3',
    ]);
  });

  it('counts what a recorder left out and does not replay it', () => {
    const plan = planOf({ at: 0, pid: 0, op: 'gap', length: 12 });
    expect([plan.steps, plan.lost, plan.processes]).toEqual([0, 12, []]);
  });
});
