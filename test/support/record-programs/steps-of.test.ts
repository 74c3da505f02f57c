import { describe, expect, it } from '@jest/globals';
import { stepsOf, type TracedProcess } from './steps-of.ts';

const IN = 'AT_FDCWD</w>';

/** Calls of one process, a microsecond after each other. */
function traced(pid: number, from: number, calls: readonly string[]): TracedProcess {
  const lines = calls.map((call, at) => `1700.${String(from + at).padStart(6, '0')} ${call}`);
  return { pid, lines };
}
const stepsIn = (...calls: string[]): string[] => stepsOf([traced(1, 0, calls)], '/w');

describe('the steps of a recorded program', () => {
  it('are the calls that changed something in its folder', () => {
    expect(
      stepsIn(
        `mkdir("d", 0777) = 0`,
        `mkdir("e", 0777) = -1 EEXIST (File exists)`,
        `mkdir("/elsewhere", 0777) = 0`,
        `openat(${IN}, "d/f", O_RDONLY) = 4</w/d/f>`,
        `chdir("d") = 0`,
        `openat(AT_FDCWD</w/d>, "f", O_WRONLY|O_CREAT|O_EXCL|O_CLOEXEC, 0640) = 3</w/d/f>`,
        `write(3</w/d/f>, "ab"..., 9) = 9`,
        `lseek(3</w/d/f>, 2, SEEK_SET) = 2`,
        `write(3</w/d/f>, "ab"..., 5) = 5`,
        `ftruncate(3</w/d/f>, 4) = 0`,
        `fsync(3</w/d/f>) = 0`,
        `fchmod(3</w/d/f>, 0100640) = 0`,
        `utimensat(3</w/d/f>, NULL, [{tv_sec=1, tv_nsec=0}, {tv_sec=981158400, tv_nsec=7}], 0) = 0`,
        `close(3</w/d/f>) = 0`,
        `rename("f", "../g") = 0`,
        `fchdir(5</w>) = 0`,
        `chmod("g", 0755) = 0`,
        `chdir("d") = 0`,
        `symlinkat("/far", AT_FDCWD</w/d>, "s") = 0`,
        `linkat(AT_FDCWD</w>, "g", AT_FDCWD</w>, "h", 0) = 0`,
        `unlinkat(AT_FDCWD</w>, "d", AT_REMOVEDIR) = 0`,
        `unlink("../g") = 0`,
      ),
    ).toEqual([
      'mkdir 777 d',
      'open 1 cx 640 d/f',
      'write 1 0 9',
      'write 1 2 5',
      'cut 1 4',
      'sync 1',
      'chmod 640 d/f',
      'touch 981158400 d/f',
      'close 1',
      'rename d/f g',
      'chmod 755 g',
      'symlink /nowhere d/s',
      'link g h',
      'rmdir d',
      'unlink g',
    ]);
  });

  it('have writes that follow each other as one, after the first', () => {
    const write = (length: number): string => `write(3</w/f>, "ab"..., ${length}) = ${length}`;
    const open = `openat(${IN}, "f", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</w/f>`;
    expect(stepsIn(open, write(4), write(3), write(2), write(90_000))).toEqual([
      'open 1 ct 666 f',
      'write 1 0 4',
      'write 1 4 12000',
      'close 1',
    ]);
  });

  it('close a file when nobody has it any more', () => {
    const parent = traced(1, 0, [
      `openat(${IN}, "f", O_WRONLY|O_APPEND) = 3</w/f>`,
      `dup2(3</w/f>, 1</dev/null>) = 1</w/f>`,
      `close(3</w/f>) = 0`,
      `vfork() = 2`,
      `close(1</w/f>) = 0`,
      `mkdir("after", 0755) = 0`,
    ]);
    const child = traced(2, 100, [`write(1</w/f>, "x"..., 5) = 5`]);
    expect(stepsOf([parent, child], '/w')).toEqual([
      'open 1 a 644 f',
      'mkdir 755 after',
      'write 1 + 5',
      'close 1',
    ]);
  });

  it('know threads of one process by its files', () => {
    const parent = traced(1, 0, [
      `openat(${IN}, "f", O_WRONLY|O_CREAT, 0666) = 3</w/f>`,
      `clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD}, 88) = 2`,
    ]);
    const thread = traced(2, 100, [
      `pwrite64(3</w/f>, "x"..., 5, 7) = 5`,
      `close(3</w/f>) = 0`,
      `mkdir("after", 0755) = 0`,
    ]);
    const last = traced(3, 200, []);
    expect(
      stepsOf(
        [{ ...parent, lines: [...parent.lines, '1700.000300 close(9) = 0'] }, thread, last],
        '/w',
      ),
    ).toEqual(['open 1 c 666 f', 'write 1 7 5', 'close 1', 'mkdir 755 after']);
  });

  it('have the same names for what a program draws anew each time', () => {
    const steps = (drawn: string): string[] =>
      stepsIn(`mkdir(".f.${drawn}", 0700) = 0`, `rename(".f.${drawn}", "f") = 0`);
    expect(steps('Ab3dE9')).toEqual(['mkdir 700 .f.n0', 'rename .f.n0 f']);
    expect(steps('Zz3dE9')).toEqual(steps('Ab3dE9'));
  });
});
