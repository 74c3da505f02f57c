/** A Debian with a name, an address and processes of its own: namespaces over an unpacked root, which is not changed. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
const SYSTEMD = 'exec /lib/systemd/systemd --system --show-status=0';
/** The first process where no systemd is in charge: it takes in what others leave behind. */
const SHELL = "trap 'exit 0' TERM; while :; do sleep 600 & wait; done";
/** A step that takes longer is stuck. */
const STEP_MS = 300_000;
/** What does not come by then does not come. */
const MOST_WAIT_MS = 120_000;

const execute = promisify(execFile);
const run = (command, ...args) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** What a command has said; throws with it where it fails. */
class Failed extends Error {}

export class Machine {
  #root;
  #group;
  #init = null;
  #first = '';

  /** `lower`: an unpacked Debian. `work`: its folder. `groups`: a control group of version 2, or null where no systemd is wanted. */
  constructor({ name, address, lower, work, groups }) {
    Object.assign(this, { name, address });
    const over = join(work, 'over');
    this.#root = join(work, 'root');
    this.#group = groups === null ? null : join(groups, name);
    for (const path of [work, this.#root, over]) mkdirSync(path);
    run('mount', '-t', 'tmpfs', 'none', over);
    for (const part of ['upper', 'work']) mkdirSync(join(over, part));
    const layers = `lowerdir=${lower},upperdir=${join(over, 'upper')},workdir=${join(over, 'work')}`;
    run('mount', '-t', 'overlay', 'none', this.#root, '-o', layers);
  }

  path(path) {
    return join(this.#root, path);
  }

  /** Puts it on a bridge of this network namespace, and starts its first process. `hosts`: addresses by name. */
  async start({ bridge, hosts }) {
    const lines = ['127.0.0.1 localhost', `${this.address} ${this.name}`];
    for (const [name, address] of Object.entries(hosts)) lines.push(`${address} ${name}`);
    writeFileSync(this.path('etc/hosts'), `${lines.join('\n')}\n`);
    writeFileSync(this.path('etc/hostname'), `${this.name}\n`);
    // Its packages come from one place alone.
    writeFileSync(this.path('etc/apt/sources.list'), '');
    writeFileSync(this.path('etc/apt/apt.conf.d/90walk'), 'APT::Sandbox::User "root";\n');
    if (this.#group !== null) mkdirSync(this.#group);
    this.#init = spawn('sh', this.#beginning(), { stdio: 'ignore' });
    this.#first = await untilGiven(() => this.#firstProcess());
    this.#join(bridge);
    if (this.#group !== null)
      await untilGiven(() =>
        this.root(
          'systemctl is-system-running --wait || test "$(systemctl is-system-running)" = degraded',
        ),
      );
  }

  #beginning() {
    const isManaged = this.#group !== null;
    const mounts = [
      'hostname "$2"',
      'mount -t proc none "$1/proc"',
      'mount -t sysfs none "$1/sys"',
      'mount --rbind /dev "$1/dev"',
      'mount -t tmpfs -o mode=755 none "$1/run"',
      'mount -t tmpfs -o mode=1777 none "$1/tmp"',
      ...(isManaged ? ['mount -t cgroup2 none "$1/sys/fs/cgroup"'] : []),
      `exec chroot "$1" env -i container=other PATH=${PATH} sh -c "$3"`,
    ].join(' && ');
    const kinds = ['mount', 'uts', 'ipc', 'net', 'pid', 'fork', 'kill-child=SIGKILL'];
    const own = (isManaged ? [...kinds, 'cgroup'] : kinds).map((kind) => `--${kind}`);
    const begin = ['sh', '-c', mounts, 'sh', this.#root, this.name, isManaged ? SYSTEMD : SHELL];
    const enter = isManaged ? `echo $$ >${this.#group}/cgroup.procs && ` : '';
    return ['-c', `${enter}exec unshare "$@"`, 'sh', ...own, ...begin];
  }

  #firstProcess() {
    const children = readFileSync(
      `/proc/${this.#init.pid}/task/${this.#init.pid}/children`,
      'utf8',
    );
    const [first = ''] = children.trim().split(' ');
    if (first === '') throw new Error('it has not begun');
    return first;
  }

  #join(bridge) {
    const [here, there] = [`${this.name}-up`, 'eth0'];
    run('ip', 'link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', this.#first);
    run('ip', 'link', 'set', here, 'master', bridge, 'up');
    const inside = (...args) => run('nsenter', '-t', this.#first, '-n', 'ip', ...args);
    inside('link', 'set', 'lo', 'up');
    inside('address', 'add', `${this.address}/24`, 'dev', there);
    inside('link', 'set', there, 'up');
  }

  /** Runs a line of a shell as root. Gives what it prints; throws what it says where it fails. */
  root(line, { input = '' } = {}) {
    return this.#say(['sh', '-c', line], input);
  }

  /** The same for a person of this machine, from their home folder. */
  as(user, line, { input = '' } = {}) {
    const home = `/home/${user}`;
    const who = ['runuser', '-u', user, '--', 'env', '-C', home, `HOME=${home}`, `USER=${user}`];
    return this.#say([...who, 'sh', '-c', line], input);
  }

  async #say(command, input) {
    const enter = [
      '-t',
      this.#first,
      '-a',
      '-r',
      'env',
      '-i',
      `PATH=${PATH}`,
      'LANG=C.UTF-8',
      ...command,
    ];
    const pending = execute('nsenter', enter, { timeout: STEP_MS, maxBuffer: 1 << 26 });
    pending.child.stdin.on('error', () => undefined).end(input);
    try {
      const { stdout, stderr } = await pending;
      return { stdout, stderr };
    } catch ({ stdout, stderr, code, killed }) {
      const why = killed ? 'takes too long' : `exit code ${code}`;
      throw new Failed(`${this.name}: ${command.at(-1)}: ${why}\n${stdout}${stderr}`);
    }
  }

  /** All of its processes end. */
  async stop() {
    if (this.#init === null) return;
    const ended = new Promise((done) => this.#init.once('exit', done));
    if (this.#first !== '') process.kill(Number(this.#first), 'SIGKILL');
    else this.#init.kill('SIGKILL');
    await ended;
  }
}

/** Asks again until it gives something; throws what it said last where it gives nothing for two minutes. */
export async function untilGiven(give) {
  const end = performance.now() + MOST_WAIT_MS;
  for (;;) {
    try {
      return await give();
    } catch (error) {
      if (performance.now() > end) throw error;
      await wait(100);
    }
  }
}
