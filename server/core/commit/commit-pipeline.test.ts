import { describe, expect, it } from '@jest/globals';
import type { RowWrite } from '../../../shared/model/stored.ts';
import { CommitPipeline, type CommitGroup } from './commit-pipeline.ts';

const ROW = {} as RowWrite;

const pipeline = (): CommitPipeline<string, CommitGroup> =>
  new CommitPipeline((id) => {
    return { id, writes: [], closeAfter: 0, letsIn: null, overlays: new Set() };
  });

const load = (job: string) => ({ keys: [], job });

describe('a full group', () => {
  /** Gives a full group with a row, and a load of a device that adds little. */
  function full() {
    const commits = pipeline();
    const small = commits.beginLoad(load('small'), true);
    commits.waitsFor(small);
    commits.stage(ROW);
    commits.full(1);
    return { commits, small };
  }

  it('takes the rows of a device that adds little', () => {
    const { commits, small } = full();
    expect(commits.settle()).toBeNull();
    commits.endLoad(small);
    commits.stage(ROW);
    expect(commits.settle()?.writes).toHaveLength(2);
  });

  it('waits for no such load that began when it could have closed', () => {
    const { commits, small } = full();
    expect(commits.settle()).toBeNull();
    commits.waitsFor(commits.beginLoad(load('later'), true));
    commits.endLoad(small);
    expect(commits.settle()?.id).toBe(1);
  });

  it('takes what began while the group before it was committing', () => {
    const { commits, small } = full();
    commits.endLoad(small);
    expect(commits.settle()?.id).toBe(1);
    commits.stage(ROW);
    commits.full(2);
    expect(commits.settle()).toBeNull();
    const meanwhile = commits.beginLoad(load('meanwhile'), true);
    commits.waitsFor(meanwhile);
    commits.becameDurable(1);
    expect(commits.settle()).toBeNull();
    commits.endLoad(meanwhile);
    expect(commits.settle()?.id).toBe(2);
  });

  it('waits for no load that waits for the next group', () => {
    const { commits, small } = full();
    commits.full(1, small);
    expect(commits.settle()?.id).toBe(1);
  });

  it('waits for no load that adds nothing, that is answered, or that began anew after a failure', () => {
    const { commits, small } = full();
    commits.waitsFor(commits.beginLoad(load('read'), false));
    commits.endLoad(small);
    commits.waitsFor(small);
    expect(commits.settle()?.id).toBe(1);
    commits.waitsFor(commits.beginLoad(load('small'), true));
    commits.dropFailed();
    commits.stage(ROW);
    expect(commits.settle()?.id).toBe(3);
  });
});

describe('a load that waits for the turn of its device', () => {
  function resting() {
    const commits = pipeline();
    const ticket = commits.beginLoad(load('much'), true);
    commits.waitsFor(ticket);
    commits.rests(ticket, true);
    return { commits, ticket };
  }

  it('keeps no group waiting until its turn has come', () => {
    const { commits, ticket } = resting();
    commits.stage(ROW);
    expect(commits.settle()?.id).toBe(1);
    commits.becameDurable(1);
    commits.rests(ticket, false);
    commits.stage(ROW);
    expect(commits.settle()).toBeNull();
    commits.endLoad(ticket);
    expect(commits.settle()?.id).toBe(2);
  });

  it('keeps none waiting after it was begun anew', () => {
    const { commits, ticket } = resting();
    commits.stage(ROW);
    commits.settle();
    commits.dropFailed();
    commits.rests(ticket, false);
    commits.stage(ROW);
    expect(commits.settle()?.writes).toHaveLength(1);
  });
});
