import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../../../shared/util/seeded-random.ts';
import { EXT4 } from './file-system-switches.ts';
import { Kernel } from './kernel.ts';
import { losePower, writeAllOut } from './power-loss.ts';
import { readFile, writeFile } from './program-calls.ts';
import { SimulatedProgramCalls } from './simulated-program-calls.ts';

const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
const ROOT = { uid: 0, gid: 0, groups: [] };

class Machine {
  readonly kernel: Kernel;
  calls: SimulatedProgramCalls;

  constructor(seed = 1) {
    this.kernel = new Kernel({ wall: () => 0, random: new SeededRandom(seed), root: EXT4 });
    this.calls = new SimulatedProgramCalls(this.kernel, ROOT, '/');
  }

  restart(kept: number | null, remains: 'all' | 'synced' | null = null): void {
    losePower(this.kernel, [this.calls.process], { kept, remains });
    this.calls = new SimulatedProgramCalls(this.kernel, ROOT, '/');
  }

  sync(path: string): void {
    const fd = this.calls.open(path, 'r');
    this.calls.fsync(fd);
    this.calls.close(fd);
  }

  text(path: string): string {
    return new TextDecoder().decode(readFile(this.calls, path));
  }
}

describe('a loss of power', () => {
  it('leaves what was synced, and undoes the names after it in their order', () => {
    const machine = new Machine();
    writeFile(machine.calls, 'old', bytes('old'));
    machine.sync('old');
    machine.calls.mkdir('dir');
    machine.calls.rename('old', 'dir/new');
    machine.calls.chmod('dir/new', 0o600);
    machine.restart(0);
    expect(machine.calls.readdir('/')).toEqual(['old']);
    expect(machine.calls.lstat('old')).toMatchObject({ mode: 0o644, links: 1 });
    expect(machine.text('old')).toBe('old');
  });

  it('leaves each beginning of what was done, and no step of it by halves', () => {
    const seen = new Set<string>();
    for (let kept = 0; kept <= 8; kept++) {
      const machine = new Machine();
      writeFile(machine.calls, 'a', bytes('a'));
      writeFile(machine.calls, 'b', bytes('b'));
      writeAllOut(machine.kernel);
      machine.calls.rename('a', 'b');
      machine.calls.mkdir('d');
      machine.calls.rename('b', 'd/b');
      machine.restart(kept, 'all');
      seen.add(machine.calls.readdir('/').sort().join());
      const { links } = machine.calls.lstat('/');
      expect(links).toBe(machine.calls.readdir('/').includes('d') ? 3 : 2);
    }
    expect([...seen]).toEqual(['a,b', 'b', 'b,d', 'd']);
  });

  it('may empty or tear what was written and not synced, and nothing else', () => {
    for (let seed = 0; seed < 50; seed++) {
      const machine = new Machine(seed);
      writeFile(machine.calls, 'safe', bytes('safe'));
      machine.sync('safe');
      writeFile(machine.calls, 'unsafe', bytes('unsafe'));
      machine.restart(null);
      expect(machine.text('safe')).toBe('safe');
      if (machine.calls.readdir('/').includes('unsafe')) {
        expect(
          ['unsafe', '\0'.repeat(6)].some((all) => all.startsWith(machine.text('unsafe'))),
        ).toBe(true);
      }
    }
  });

  it('keeps one of two files where one took the place of the other', () => {
    for (let seed = 0; seed < 50; seed++) {
      const machine = new Machine(seed);
      writeFile(machine.calls, 'file', bytes('old'));
      machine.sync('file');
      writeFile(machine.calls, 'new', bytes('new'));
      machine.calls.rename('new', 'file');
      machine.restart(null);
      expect(['old', 'new']).toContain(machine.text('file'));
    }
  });

  it('takes the room that was taken, and no more', () => {
    const machine = new Machine();
    writeFile(machine.calls, 'one', new Uint8Array(10_000).fill(1));
    writeAllOut(machine.kernel);
    const taken = machine.kernel.top.mount.fs.taken;
    writeFile(machine.calls, 'two', new Uint8Array(10_000).fill(1));
    machine.calls.unlink('one');
    machine.restart(0);
    expect(machine.kernel.top.mount.fs.taken).toBe(taken);
  });
});
