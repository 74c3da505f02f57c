import { describe, expect, it, test } from '@jest/globals';
import { BadLines } from '../bad-lines.ts';
import type { TraceRecord } from '../record.ts';
import { recordFault } from '../trace-line.ts';
import { looksLikeStrace, readStrace } from './read-strace.ts';

async function read(lines: readonly string[], bad = new BadLines('x.txt', false)) {
  const records: TraceRecord[] = [];
  const counts = { noFiles: 0 };
  const bytes = [Buffer.from(lines.join('\n'))];
  for await (const record of readStrace(bytes, bad, { cwd: '/home/ann', counts })) {
    expect(recordFault(record)).toBeNull();
    records.push(record);
  }
  return { records, noFiles: counts.noFiles };
}

/** `PID OP PATH [-> TO] [OFFSET+LENGTH] [FLAGS]`, one for each. */
async function told(...lines: string[]): Promise<string[]> {
  let at = 0;
  const timed = lines.map((line) =>
    line.replace('T ', `17000.${String((at += 1)).padStart(6, '0')} `),
  );
  return (await read(timed)).records.map(({ pid, op, path, to, offset, length, flags }) =>
    [
      ...[pid, op, path, ...(to === undefined ? [] : ['->', to])],
      ...(length === undefined ? [] : [offset === undefined ? length : `${offset}+${length}`]),
      ...(flags === undefined ? [] : [`[${flags.join(' ')}]`]),
    ].join(' '),
  );
}

describe('the calls in a trace of strace', () => {
  test.each<[string, string[], string[]]>([
    [
      'a file read to its end, where it stands',
      [
        '7 T openat(AT_FDCWD, "/a", O_RDONLY|O_CLOEXEC) = 3',
        '7 T read(3, "abc"..., 4096) = 4096',
        '7 T pread64(3, "x", 1, 9) = 1',
        '7 T read(3, "d", 4096) = 1',
        '7 T read(3, "", 4096) = 0',
        '7 T close(3) = 0',
      ],
      [
        '7 open /a [read]',
        '7 read /a 0+4096',
        '7 read /a 9+1',
        '7 read /a 4096+1',
        '7 read /a 4097+0 [end]',
        '7 close /a',
      ],
    ],
    [
      'seeks, and files that grow',
      [
        '7 T open("/a", O_RDWR|O_CREAT|O_TRUNC, 0644) = 3',
        '7 T write(3, "0123456789", 10) = 10',
        '7 T lseek(3, 2, SEEK_SET) = 2',
        '7 T write(3, "x", 1) = 1',
        '7 T ftruncate(3, 5) = 0',
        '7 T fsync(3) = 0',
        '7 T close(3) = 0',
        '7 T open("/a", O_WRONLY|O_APPEND) = 3',
        '7 T fstat(3, {st_mode=S_IFREG|0644, st_size=5, ...}) = 0',
        '7 T write(3, "yy", 2) = 2',
        '7 T close(3) = 0',
      ],
      [
        '7 open /a [read write create truncate]',
        '7 write /a 0+10',
        '7 write /a 2+1',
        '7 truncate /a 5',
        '7 sync /a',
        '7 close /a',
        '7 open /a [write append]',
        '7 getattr /a',
        '7 write /a 5+2',
        '7 close /a',
      ],
    ],
    [
      'a file that is known not to be there is made',
      [
        '7 T stat("new", 0x7ffc) = -1 ENOENT (No such file or directory)',
        '7 T openat(AT_FDCWD, "new", O_WRONLY|O_CREAT, 0666) = 3',
        '7 T close(3) = 0',
        '7 T openat(AT_FDCWD, "new", O_WRONLY|O_CREAT, 0666) = 3',
      ],
      [
        '7 getattr /home/ann/new [not-found]',
        '7 create /home/ann/new [write]',
        '7 close /home/ann/new',
        '7 open /home/ann/new [write create]',
        '7 close /home/ann/new',
      ],
    ],
    [
      'relative paths',
      [
        '7 T chdir("src") = 0',
        '7 T mkdir("../out", 0777) = 0',
        '7 T openat(AT_FDCWD, ".", O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_DIRECTORY) = 4',
        '7 T getdents64(4, 0x55 /* 3 entries */, 32768) = 80',
        '7 T fchdir(4) = 0',
        '7 T unlinkat(4, "sub", AT_REMOVEDIR) = 0',
        '7 T renameat2(4, "a", AT_FDCWD, "../b", RENAME_NOREPLACE) = 0',
        '7 T symlinkat("../b", 4, "c") = 0',
        '7 T rename("x", "y") = -1 ENOENT (No such file or directory)',
        '7 T getcwd("/tmp", 4096) = 5',
        '7 T linkat(AT_FDCWD, "l", AT_FDCWD, "m", 0) = 0',
        '7 T close(4) = 0',
      ],
      [
        '7 getattr /home/ann/src',
        '7 mkdir /home/ann/out',
        '7 open /home/ann/src [directory]',
        '7 readdir /home/ann/src [directory]',
        '7 rmdir /home/ann/src/sub',
        '7 rename /home/ann/src/a -> /home/ann/b',
        '7 symlink /home/ann/src/c -> ../b',
        '7 rename /home/ann/src/x -> /home/ann/src/y [not-found]',
        '7 link /tmp/l -> /tmp/m',
        '7 close /home/ann/src',
      ],
    ],
    [
      'descriptors of the same file',
      [
        '7 T open("/a", O_RDONLY) = 3',
        '7 T dup2(3, 0) = 0',
        '7 T close(3) = 0',
        '7 T read(0, "abc", 3) = 3',
        '7 T fcntl(0, F_DUPFD_CLOEXEC, 10) = 10',
        '7 T close(0) = 0',
        '7 T read(10, "d", 1) = 1',
        '7 T execve("/bin/sh", ["sh"], 0x7ff /* 3 vars */) = 0',
      ],
      ['7 open /a [read]', '7 read /a 0+3', '7 read /a 3+1', '7 map /bin/sh', '7 close /a'],
    ],
    [
      'a descriptor put back to what was before the trace is no file of it',
      [
        '7 T open("/a", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3',
        '7 T fcntl(1, F_DUPFD, 10) = 10',
        '7 T dup2(3, 1) = 1',
        '7 T close(3) = 0',
        '7 T write(1, "x", 1) = 1',
        '7 T dup2(10, 1) = 1',
        '7 T write(1, "y", 1) = 1',
      ],
      ['7 open /a [write create truncate]', '7 write /a 0+1', '7 close /a'],
    ],
    [
      'copies inside the kernel',
      [
        '7 T open("/a", O_RDONLY) = 3',
        '7 T open("/b", O_WRONLY|O_CREAT|O_EXCL, 0600) = 4',
        '7 T copy_file_range(3, NULL, 4, NULL, 9223372036854775807, 0) = 5',
        '7 T copy_file_range(3, NULL, 4, NULL, 9223372036854775807, 0) = 0',
        '7 T sendfile(4, 3, [1], 2) = 2',
        '7 T mmap(NULL, 5, PROT_READ, MAP_PRIVATE, 3, 0) = 0x7f00',
        '7 T mmap(NULL, 5, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f00',
        '7 T +++ exited with 0 +++',
      ],
      [
        '7 open /a [read]',
        '7 create /b [write exclusive]',
        '7 read /a 0+5',
        '7 write /b 0+5',
        '7 read /a 5+0 [end]',
        '7 read /a 1+2',
        '7 write /b 5+2',
        '7 map /a',
        '7 close /a',
        '7 close /b',
      ],
    ],
    [
      'what is no file',
      [
        '7 T open("/dev/null", O_RDWR) = 3',
        '7 T write(3, "x", 1) = 1',
        '7 T pipe2([4, 5], O_CLOEXEC) = 0',
        '7 T read(4, "x", 1) = 1',
        '7 T socket(AF_UNIX, SOCK_STREAM, 0) = 6',
        '7 T write(1, "x", 1) = 1',
        '7 T stat("/proc/self/maps", 0x7f) = 0',
        '7 T futex(0x7f, FUTEX_WAIT, 1, NULL) = 0',
        '7 T --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=3} ---',
        '7 T exit_group(0) = ?',
      ],
      [],
    ],
    [
      'names with bytes that are printed as numbers, quotes and parentheses',
      ['7 T open("/na\\303\\257ve \\"(x)\\", \\x41\\n", O_RDONLY) = -1 EACCES (Permission denied)'],
      ['7 open /naïve "(x)", A\n [read failed]'],
    ],
    [
      'paths of descriptors, as with -y',
      [
        '7 T read(5</home/ann/b>, "x", 9) = 1',
        '7 T openat(AT_FDCWD</tmp>, "q", O_RDONLY) = 3</tmp/q>',
        '7 T read(6<TCP:[127.0.0.1:1->127.0.0.1:2]>, "x", 9) = 1',
        '7 T close(3</tmp/q>) = 0',
        '7 T close(5</home/ann/b>) = 0',
      ],
      ['7 read /home/ann/b 0+1', '7 open /tmp/q [read]', '7 close /tmp/q', '7 close /home/ann/b'],
    ],
  ])('are converted: %s', async (_name, lines, expected) => {
    expect(await told(...lines)).toEqual(expected);
  });
});

describe('the processes in a trace of strace', () => {
  it('may be interrupted in a call and continue', async () => {
    expect(
      await told(
        '7 T openat(AT_FDCWD, "/a", O_RDONLY <unfinished ...>',
        '8 T openat(AT_FDCWD, "/b", O_RDONLY) = 3',
        '7 T <... openat resumed>) = 3',
        '7 T read(3,  <unfinished ...>',
        '8 T read(3, <unfinished ...>',
        '7 T <... read resumed>"abc", 3) = 3',
        '8 T <... read resumed> "defg", 4) = 4 <0.000020>',
        '7 T read(3, 0x7f, 1) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)',
        '7 T +++ killed by SIGTERM +++',
        '8 T +++ exited with 0 +++',
      ),
    ).toEqual([
      '8 open /b [read]',
      '7 open /a [read]',
      '7 read /a 0+3',
      '8 read /b 0+4',
      '7 close /a',
      '8 close /b',
    ]);
  });

  it('inherit the descriptors and the folder of their parent', async () => {
    expect(
      await told(
        '7 T chdir("/src") = 0',
        '7 T open("a", O_RDONLY) = 3',
        '8 T read(3, "x", 1) = 1',
        '8 T open("b", O_RDONLY) = 4',
        '8 T +++ exited with 0 +++',
        '7 T read(3, "y", 1) = 1',
        '7 T +++ exited with 0 +++',
      ),
    ).toEqual([
      '7 getattr /src',
      '7 open /src/a [read]',
      '8 read /src/a 0+1',
      '8 open /src/b [read]',
      '8 close /src/b',
      '7 read /src/a 1+1',
      '7 close /src/a',
    ]);
  });

  it('are children of the process that has others, not of the last one in the trace', async () => {
    expect(
      await told(
        '7 T pipe2([5, 4], 0) = 0',
        '8 T execve("/bin/cat", ["cat"], 0x7ff /* 3 vars */) = 0',
        '7 T close(5) = 0',
        '8 T open("/b", O_RDONLY) = 5',
        '9 T dup2(5, 0) = 0',
        '9 T read(0, "x", 1) = 1',
        '8 T read(5, "y", 1) = 1',
        '8 T close(5) = 0',
      ),
    ).toEqual(['8 map /bin/cat', '8 open /b [read]', '8 read /b 0+1', '8 close /b']);
  });

  it('share open files when they are threads', async () => {
    const open = '8 T open("/b", O_RDONLY) = 4';
    const use = '7 T read(4, "x", 1) = 1';
    const expected = ['8 open /b [read]', '7 read /b 0+1', '7 close /b'];
    expect(await told('7 T getppid() = 1', open, use, '7 T close(4) = 0')).toEqual(expected);
    const clone =
      '7 T clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD) = 8';
    expect(await told(clone, open, use, '7 T close(4) = 0')).toEqual(expected);
  });

  it('share nothing after a fork', async () => {
    const fork = '7 T clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD) = 8';
    expect(await told(fork, '8 T open("/b", O_RDONLY) = 4', '7 T read(4, "x", 1) = 1')).toEqual([
      '8 open /b [read]',
      '8 close /b',
    ]);
  });

  it('have numbers from the second process on, until one is left', async () => {
    expect(
      await told(
        'T open("/a", O_RDONLY) = 3',
        'strace: Process 8 attached',
        '[pid     8] T open("b", O_RDONLY <unfinished ...>',
        '[pid     7] T read(3, "x", 1) = 1',
        '[pid     8] T <... open resumed>) = 4',
        '[pid     8] T +++ exited with 0 +++',
        'T read(3, "x", 1) = 1',
        'T +++ exited with 0 +++',
      ),
    ).toEqual([
      '0 open /a [read]',
      '0 read /a 0+1',
      '8 open /home/ann/b [read]',
      '8 close /home/ann/b',
      '0 read /a 1+1',
      '0 close /a',
    ]);
  });
});

describe('a bad line of strace', () => {
  test.each<[string, string]>([
    ['12:00:01 open("/a", O_RDONLY) = 3', 'a time in seconds since 1970, as of strace -ttt'],
    ['7 1700.5 open("/a", O_RDONLY', 'the end of the arguments of open'],
    ['7 1700.5 open("/a)', 'the end of the arguments of open'],
    ['7 1700.5 open("/a", O_RDONLY)', 'the result of open'],
    ['7 1700.5 what', 'a call such as close(3) = 0'],
    ['7 1600.5 close(3) = 0', 'lines in the order of their times'],
  ])('is reported: %s', async (line, expected) => {
    const lines = ['7 1700.5 getpid() = 7', line];
    await expect(read(lines)).rejects.toMatchObject({
      code: 'bad-trace',
      message: `x.txt: line 2: expected ${expected}`,
    });
    const bad = new BadLines('x.txt', true);
    expect((await read([...lines, '7 1701.5 rmdir("/d") = 0'], bad)).records).toHaveLength(1);
    expect(bad.count).toBe(1);
  });

  it('is distinguished from a file of another format', () => {
    expect(looksLikeStrace('strace: Process 1 attached\n[pid 3] 1.5 close(3) = 0')).toBe(true);
    expect(looksLikeStrace('12:00:01 open("/a", O_RDONLY) = 3\n')).toBe(true);
    expect(looksLikeStrace('"Time of Day","PID"\n"12:00:01 (x) = 3"')).toBe(false);
  });
});
