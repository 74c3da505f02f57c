import { tmpdir } from 'node:os';
import { expect, it } from '@jest/globals';
import { leftOut, refuseWithoutRoom, spaceNeeded, type IngestSettings } from './ingest-settings.ts';

const NOTHING: IngestSettings = { files: 0, size: 4096, large: 0, known: 0, idleMs: 0 };

it('the needed space counts files in whole blocks, on both sides and on the way', () => {
  const more = (settings: Partial<IngestSettings>): number =>
    spaceNeeded({ ...NOTHING, ...settings }) - spaceNeeded(NOTHING);
  expect(more({ files: 2, size: 1 })).toBe(more({ files: 2, size: 4096 }));
  expect(more({ files: 1, size: 4097 })).toBeGreaterThan(more({ files: 1, size: 4096 }));
  expect(more({ large: 1000 })).toBe(3000);
  expect(more({ files: 10, known: 10 })).toBe(more({ known: 10 }));
});

it('the bench is refused when there is no space', () => {
  refuseWithoutRoom(tmpdir(), NOTHING);
  const refuse = (): void => refuseWithoutRoom(tmpdir(), { ...NOTHING, large: 1e17 });
  expect(refuse).toThrow(expect.objectContaining({ code: 'disk-full' }));
});

it('parts of the bench that are not requested are left out', () => {
  expect(leftOut(['large'])).toEqual({ files: 0, known: 0, idleMs: 0 });
  expect(leftOut(['files', 'idle'])).toEqual({ large: 0, known: 0 });
});
