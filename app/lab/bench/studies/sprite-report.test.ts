import { describe, expect, it } from '@jest/globals';
import type { Access } from '../../caches/sprite/access.ts';
import { Machines, type MachineSettings } from '../../caches/sprite/machines.ts';
import { SPRITE_PARTS, runSprite, spriteCells } from '../../caches/sprite/study.ts';
import { spriteReport } from './sprite-report.ts';

const BLOCKS = 4000;
const done = (parts = SPRITE_PARTS.slice()) =>
  spriteCells(parts, 1, BLOCKS).map((cell) => ({ cell, result: runSprite(cell) }));

describe('the study of block caches', () => {
  it('gives the same figures again for the same seed', () => {
    expect(done()).toEqual(done());
  });

  it('has both tables, the notes and the delays', () => {
    const { sections, raw } = spriteReport(done());
    const headings = sections.map(({ heading }) => heading).join('\n');
    for (const part of ['Table I:', 'Table II:', 'Notes of table I:', 'The delay of writes:']) {
      expect(headings).toContain(part);
    }
    expect(raw).toMatchObject({ tables: { delays: expect.any(Array) } });
  });

  it('says nothing of parts that were not run', () => {
    const { sections, checks } = spriteReport(done(['ignoring']));
    expect(sections.map(({ heading }) => heading)).toEqual([
      'Table II: the same, ignoring consistency',
    ]);
    expect(checks).toEqual([]);
  });

  it('sends and fetches each block without a cache', () => {
    const [none] = spriteCells(['ignoring'], 1, BLOCKS).filter(({ megabytes }) => megabytes === 0);
    const { read, written, fetched, sent } = runSprite(none as never);
    expect({ fetched, sent }).toEqual({ fetched: read, sent: written });
    expect(read + written).toBe(BLOCKS);
  });
});

type Given = Partial<Access> & Pick<Access, 'does'>;

/** Carries out accesses of file 1; what is not said is as in the one before. */
function after(settings: Partial<MachineSettings>, ...accesses: readonly Given[]) {
  const machines = new Machines({
    clients: 2,
    blocks: 8,
    delay: 30,
    isConsistent: true,
    ...settings,
  });
  let last = { at: 0, client: 0, file: 1, block: 0, isWriting: true };
  for (const access of accesses) {
    last = { ...last, ...access };
    machines.take(last as unknown as Access);
  }
  return machines.traffic;
}
const OPEN = { does: 'open' } as const;
const CLOSE = { does: 'close' } as const;
const READ = { does: 'read' } as const;
const WRITE = { does: 'write' } as const;
const SAVED = [{ ...OPEN, isWriting: true }, WRITE, CLOSE] as const;

describe('a block that was written', () => {
  it('is sent when the delay is over, and once', () => {
    expect(after({}, ...SAVED, { ...OPEN, at: 29 })).toMatchObject({ sent: 0 });
    expect(after({}, ...SAVED, { ...OPEN, at: 61 }, { ...CLOSE, at: 200 })).toMatchObject({
      sent: 1,
    });
  });

  it('is spared where it is written again or removed before', () => {
    expect(after({}, ...SAVED, ...SAVED, { ...OPEN, at: 100 })).toMatchObject({
      sent: 1,
      overwritten: 1,
    });
    expect(after({}, ...SAVED, { does: 'remove' }, { ...OPEN, at: 100 })).toMatchObject({
      sent: 0,
      removed: 1,
    });
  });

  it('is sent at once without a delay', () => {
    expect(after({ delay: 0 }, ...SAVED, ...SAVED)).toMatchObject({ sent: 2, overwritten: 0 });
  });

  it('is sent when a full cache needs its place', () => {
    const all = [0, 1].map((block) => ({ ...WRITE, block }));
    expect(after({ blocks: 1 }, OPEN, ...all)).toMatchObject({ sent: 1, evicted: 1 });
  });

  it('comes back from its writer when another client opens the file', () => {
    const next = [{ ...OPEN, client: 1, isWriting: false }, READ];
    expect(after({}, ...SAVED, ...next)).toMatchObject({ sent: 1, flushed: 1, fetched: 1 });
    expect(after({ isConsistent: false }, ...SAVED, ...next)).toMatchObject({ sent: 0 });
  });
});

describe('a cached block', () => {
  const here = [{ ...OPEN, isWriting: false }, READ, CLOSE] as const;

  it('is fetched again after another client has written the file', () => {
    const theirs = SAVED.map((access) => ({ ...access, client: 1 }));
    const again = here.map((access) => ({ ...access, client: 0 }));
    expect(after({}, ...here, ...again)).toMatchObject({ read: 2, fetched: 1 });
    expect(after({}, ...here, ...theirs, ...again)).toMatchObject({ read: 2, fetched: 2 });
    const old = after({ isConsistent: false }, ...here, ...theirs, ...again);
    expect(old).toMatchObject({ read: 2, fetched: 1 });
  });

  it('stays with a client that writes the file itself', () => {
    expect(after({}, ...SAVED, ...SAVED, ...here)).toMatchObject({ fetched: 0, flushed: 0 });
  });

  it('is of no use while another client has the file open to write', () => {
    const shared = [OPEN, { ...OPEN, client: 1, isWriting: false }] as const;
    const both = after({}, ...shared, READ, READ, { ...WRITE, client: 0 });
    expect(both).toMatchObject({ fetched: 2, sent: 1, through: 1 });
  });

  it('is of use again when all have closed the file', () => {
    const shared = [OPEN, { ...OPEN, client: 1, isWriting: false }] as const;
    const closed = [CLOSE, { ...CLOSE, client: 0, isWriting: true }] as const;
    expect(after({}, ...shared, ...closed, ...here, ...here)).toMatchObject({ fetched: 1 });
  });
});
