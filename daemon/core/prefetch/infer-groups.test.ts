import { expect, it } from '@jest/globals';
import type { Fid } from '../../../shared/model/fid.ts';
import { instant } from '../../../shared/model/time.ts';
import { AccessMonitor } from './infer-groups.ts';

const fid = (number: number): Fid => `1.${number}.7` as Fid;

function after(...spells: number[][]): AccessMonitor {
  const monitor = new AccessMonitor();
  for (const [index, files] of spells.entries()) {
    for (const [at, file] of files.entries()) {
      monitor.opened(fid(file), instant(index * 60_000 + at * 10));
    }
  }
  return monitor;
}

const nobody = (): boolean => false;

it('files that were used together repeatedly are suggested in the order of use', () => {
  const monitor = after([2, 1, 3, 9], [2, 1, 3], [5, 6]);
  expect(monitor.suggestions(nobody)).toEqual([{ files: [fid(2), fid(1), fid(3)], times: 2 }]);
});

it('files used together once, too few files, and files in a group are not suggested', () => {
  expect(after([1, 2, 3, 4]).suggestions(nobody)).toEqual([]);
  expect(after([1, 2], [1, 2]).suggestions(nobody)).toEqual([]);
  expect(after([1, 2, 3], [1, 2, 3]).suggestions((file) => file === fid(2))).toEqual([]);
});

it('files of two different tasks are suggested apart, the more frequent first', () => {
  const [one, other] = [
    [1, 2, 3],
    [4, 5, 6],
  ];
  const found = after(one, other, other, one, other);
  expect(found.suggestions(nobody).map(({ files, times }) => [files[0], times])).toEqual([
    [fid(4), 3],
    [fid(1), 2],
  ]);
});
