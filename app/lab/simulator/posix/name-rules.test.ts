import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { EXT4, HFS, VFAT, type FileSystemSwitches } from './file-system-switches.ts';
import { Kernel } from './kernel.ts';
import { writeFile } from './program-calls.ts';
import { SimulatedProgramCalls } from './simulated-program-calls.ts';

function on(root: FileSystemSwitches): SimulatedProgramCalls {
  const kernel = new Kernel({ wall: () => 0, random: new SeededRandom(1), root });
  return new SimulatedProgramCalls(kernel, { uid: 0, gid: 0, groups: [] }, '/');
}

const make = (calls: SimulatedProgramCalls, ...names: string[]): void => {
  for (const name of names) writeFile(calls, name, new Uint8Array(0));
};

describe('the names of a simulated directory', () => {
  it('are two for two cases, or one that keeps its spelling until it is renamed', () => {
    const [two, one] = [on(EXT4), on(VFAT)];
    for (const calls of [two, one]) make(calls, 'Name', 'NAME');
    expect([two.readdir('/').length, one.readdir('/')]).toEqual([2, ['Name']]);
    one.rename('Name', 'nAmE');
    expect(one.readdir('/')).toEqual(['nAmE']);
  });

  it('are one for two Unicode forms, and stored decomposed', () => {
    const calls = on(HFS);
    make(calls, '\u00e9');
    expect(calls.readdir('/')).toEqual(['e\u0301']);
    expect(calls.lstat('\u00e9').ino).toBe(calls.lstat('e\u0301').ino);
  });

  it('lose dots and blanks at their end, and are refused for what they hold', () => {
    const calls = on(VFAT);
    make(calls, 'dot. ');
    expect(calls.readdir('/')).toEqual(['dot']);
    expect(() => make(calls, 'a:b')).toThrow(expect.objectContaining({ code: 'EINVAL' }));
    expect(() => calls.rename('dot', 'a?')).toThrow(expect.objectContaining({ code: 'EINVAL' }));
    make(calls, 'ä'.repeat(255));
  });
});
