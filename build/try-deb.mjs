/**
 * Installs the Debian package on a clean Debian and uses it: its dependencies as its control file names them, the unit under a real
 * `systemd --user`, two users who sync a file, and its removal, which leaves their files alone.
 *
 *   sudo node build/try-deb.mjs [--root DIR] [--deb FILE] [--json]
 *
 * `--root`: an unpacked Debian 12 with systemd and dbus, which is not changed; left out: one that debootstrap makes once, from the mirror
 * that this machine's apt has (.cache/debian-12). All of it happens in mount, process and control-group namespaces of its own.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makePackages } from './package-deb.mjs';
import { fail, ROOT } from './node-path.mjs';

export const DEBIAN_ROOT = join(ROOT, '.cache', 'debian-12');
/** What an installer of Debian leaves behind beside the least: a service manager, what fetches a file, and on a desktop xdg-utils. */
const PACKAGES = 'systemd,dbus,dbus-user-session,ca-certificates,iproute2,sudo,wget,xdg-utils';
const UNIT = '/usr/lib/systemd/user/godwit.service';
const USERS = { ann: 1000, bob: 1001, carl: 1002 };
/** A daemon that starts answers within as many questions: each takes a tenth of a second at least. */
const MOST_QUESTIONS = 200;

/** Why it can not be tried here, for a person; null: it can. `root`: see above. */
export function missingForTry(root = DEBIAN_ROOT) {
  if (process.platform !== 'linux' || process.getuid() !== 0) return 'it takes root on Linux';
  for (const [program, name] of [
    ['unshare', 'util-linux'],
    ['dpkg-deb', 'dpkg'],
  ]) {
    if (!has(program)) return `there is no ${program}; install the package ${name}`;
  }
  if (existsSync(join(root, 'usr/lib/systemd/systemd'))) return null;
  return `there is no Debian in ${root}; run npm run try:deb, which makes one`;
}

const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** The Debian that trials begin with. Made once, from the mirror of this machine's apt; throws where it can't be. */
export function ensureRoot(root = DEBIAN_ROOT, packages = PACKAGES) {
  if (existsSync(root)) return;
  if (!has('debootstrap')) throw new Error('there is no debootstrap; install it, or give --root');
  const targets = capture('apt-get', ['indextargets', '--format', '$(REPO_URI)']);
  const mirror = targets.split('\n')[0];
  const place = `${root}.${process.pid}`;
  const args = ['--variant=minbase', `--include=${packages}`, 'bookworm', place, mirror];
  const { status } = spawnSync('debootstrap', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('debootstrap has failed');
  renameSync(place, root);
}

function capture(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    ...options,
  });
  if (status === 0) return stdout;
  const output = (error?.message ?? `${stderr}${stdout}`).trim().split('\n').slice(-3).join(' ');
  throw new Error(`${[command, ...args].join(' ')}: ${output}`);
}

/** The world of the package: a Debian over which what happens is written to memory. */
class Debian {
  constructor(lower, work) {
    this.root = join(work, 'root');
    this.group = `/sys/fs/cgroup/${basename(work)}`;
    this.work = work;
    const over = join(work, 'over');
    for (const path of [this.root, over]) mkdirSync(path);
    mount('tmpfs', 'none', over);
    for (const name of ['upper', 'work']) mkdirSync(join(over, name));
    const layers = `lowerdir=${lower},upperdir=${join(over, 'upper')},workdir=${join(over, 'work')}`;
    mount('overlay', 'overlay', this.root, '-o', layers);
    mount('proc', 'proc', join(this.root, 'proc'));
    capture('mount', ['--rbind', '/dev', join(this.root, 'dev')]);
    for (const name of ['run', 'tmp'])
      mount('tmpfs', 'none', join(this.root, name), '-o', 'mode=1777');
    mount('sysfs', 'none', join(this.root, 'sys'));
    mount('cgroup2', 'none', join(this.root, 'sys/fs/cgroup'));
    // So systemd finds a system that was begun by one.
    mkdirSync(join(this.root, 'run/systemd/system'), { recursive: true });
  }

  path(path) {
    return join(this.root, path);
  }

  run(...command) {
    return capture('chroot', [this.root, ...command]);
  }

  as(user, ...command) {
    return capture('chroot', this.#asUser(user, command));
  }

  startAs(user, ...command) {
    return spawn('chroot', this.#asUser(user, command), { stdio: ['ignore', 'pipe', 'inherit'] });
  }

  #asUser(user, command) {
    const [id, home] = [String(USERS[user]), `/home/${user}`];
    const environment = [`HOME=${home}`, `USER=${user}`, 'PATH=/usr/bin:/bin', 'LANG=C.UTF-8'];
    const runtime = `XDG_RUNTIME_DIR=/run/user/${id}`;
    const become = ['setpriv', '--reuid', id, '--regid', id, '--clear-groups'];
    return [this.root, ...become, 'env', '-i', '-C', home, ...environment, runtime, ...command];
  }

  /** Not whether its manual page can be shown: the least of Debian has no `man`. */
  verifyUnit() {
    const verify = ['systemd-analyze', '--user', '--man=no', 'verify', UNIT];
    this.run('env', 'XDG_RUNTIME_DIR=/run', ...verify);
  }

  /** Users as `useradd` makes them, with what a login would give them. */
  addUsers() {
    for (const [name, id] of Object.entries(USERS)) {
      this.run('useradd', '--create-home', '--uid', String(id), name);
      this.run('install', '-d', '-m', '700', '-o', name, '-g', name, `/run/user/${id}`);
    }
  }

  /** A control group that belongs to a user, and a `systemd --user` in it. Resolves when that has begun. */
  async beginSession(user) {
    const inside = join(this.root, this.group);
    mkdirSync(inside);
    this.run('chown', '-R', user, this.group);
    const enter = `echo $$ > ${this.group}/cgroup.procs && exec "$@"`;
    const args = this.#asUser(user, ['/lib/systemd/systemd', '--user']);
    const [root, ...rest] = args;
    const manager = spawn('chroot', [root, 'sh', '-c', enter, 'sh', ...rest], { stdio: 'ignore' });
    await this.#askUntil(user, 'systemctl', '--user', 'is-system-running');
    return manager;
  }

  async #askUntil(user, ...command) {
    for (let asked = 1; ; asked++) {
      try {
        return this.as(user, ...command);
      } catch (error) {
        if (asked === MOST_QUESTIONS) throw error;
        await new Promise((done) => setTimeout(done, 50));
      }
    }
  }

  /** Resolves with the status when the daemon of a user answers. */
  async daemonOf(user) {
    return JSON.parse(await this.#askUntil(user, 'godwit', 'status', '--json'));
  }

  close() {
    const inside = this.path(this.group);
    try {
      for (const name of readdirSync(inside, { recursive: true, withFileTypes: true }).reverse()) {
        if (name.isDirectory()) rmdirSync(join(name.parentPath, name.name));
      }
      rmdirSync(inside);
    } catch {
      // It was not made, or something in it ends just now: the kernel removes neither for us.
    }
  }
}

function mount(type, what, where, ...more) {
  capture('mount', ['-t', type, what, where, ...more]);
}

async function inside({ root, deb, work, json }) {
  const results = [];
  const step = (name, detail) => {
    results.push({ name, detail });
    if (json !== true) process.stdout.write(`${name}: ${detail}\n`);
  };
  const debian = new Debian(root, work);
  const running = [];
  try {
    copyFileSync(deb, debian.path('tmp/godwit.deb'));
    const apt = ['-y', '--no-install-recommends', '-o', 'APT::Sandbox::User=root'];
    debian.run('apt-get', 'install', ...apt, '/tmp/godwit.deb');
    if (debian.run('dpkg', '--audit') !== '') throw new Error('dpkg finds the package incomplete');
    step(
      'installed',
      debian.run('dpkg-query', '-W', '-f', '${Version}, needs ${Depends}', 'godwit'),
    );
    const files = debian.run('dpkg', '-L', 'godwit').trim().split('\n');
    debian.addUsers();
    debian.verifyUnit();
    step('unit verified', UNIT);

    const server = debian.startAs('bob', 'godwit', 'server', '--listen', '127.0.0.1:0', '--json');
    running.push(server);
    const [line] = await once(server.stdout, 'data');
    const { listening } = JSON.parse(String(line).split('\n')[0]);
    const pair = (user) => {
      const invite = ['godwit', 'server', 'invite', '--address', listening, '--json'];
      const { invitation } = JSON.parse(debian.as('bob', ...invite));
      debian.as(user, 'godwit', 'up', '--invite', invitation, '--folder', `/home/${user}/Godwit`);
    };
    for (const user of ['ann', 'carl']) pair(user);
    step('paired', 'two users with a server');

    debian.as('ann', 'godwit', 'down');
    running.push(await debian.beginSession('ann'));
    debian.as('ann', 'systemctl', '--user', 'enable', '--now', 'godwit');
    const { pid } = await debian.daemonOf('ann');
    const main = debian.as('ann', 'systemctl', '--user', 'show', '-P', 'MainPID', 'godwit').trim();
    const state = debian.as('ann', 'systemctl', '--user', 'is-active', 'godwit').trim();
    if (state !== 'active') throw new Error(`the unit is ${state}`);
    step('unit runs', `systemd --user, main process ${main}, daemon ${pid}`);

    writeFileSync(debian.path('home/ann/Godwit/letter'), 'dear carl\n');
    for (const user of ['ann', 'carl']) {
      debian.as(user, 'godwit', 'flush', '--wait', '--timeout', '60');
    }
    const arrived = readFileSync(debian.path('home/carl/Godwit/letter'), 'utf8');
    if (arrived !== 'dear carl\n')
      throw new Error(`the letter has come as ${JSON.stringify(arrived)}`);
    step('synced', 'a file of one is with the other');

    debian.as('ann', 'systemctl', '--user', 'disable', '--now', 'godwit');
    debian.as('carl', 'godwit', 'down');
    debian.run('dpkg', '-r', 'godwit');
    const left = files.filter((path) => /godwit/.test(path) && existsSync(debian.path(path)));
    if (left.length > 0) throw new Error(`dpkg -r leaves ${left.join(', ')}`);
    for (const user of ['ann', 'carl']) {
      const kept = readFileSync(debian.path(`home/${user}/Godwit/letter`), 'utf8');
      if (kept !== 'dear carl\n') throw new Error(`the file of ${user} is ${JSON.stringify(kept)}`);
      if (!existsSync(debian.path(`home/${user}/.local/state/godwit/default/config.json`))) {
        throw new Error(`the settings of ${user} are gone`);
      }
    }
    step('removed', `${files.length} paths; the users' files and settings are there`);
  } finally {
    for (const child of running) {
      const ended = once(child, 'exit');
      if (child.exitCode === null && child.kill()) await ended;
    }
    debian.close();
  }
  return results;
}

function outside(values) {
  const root = values.root === undefined ? DEBIAN_ROOT : resolve(values.root);
  if (values.root === undefined) ensureRoot();
  const missing = missingForTry(root);
  if (missing !== null) throw new Error(missing);
  const made = mkdtempSync(join(tmpdir(), 'godwit-deb-'));
  try {
    const deb =
      values.deb === undefined
        ? makePackages({ out: made, level: 1 }).product
        : resolve(values.deb);
    const own = ['--mount', '--pid', '--fork', '--kill-child', '--cgroup', '--ipc'];
    // The first process of the namespace is a shell: it takes in what daemons leave behind, as an init does, and Node would not.
    const init = ['bash', '-c', '"$@"; exit $?', 'bash'];
    const given = ['--inside', '--root', root, '--deb', deb, '--work', made];
    const again = [process.execPath, import.meta.filename, ...given];
    const args = [...own, ...init, ...again, ...(values.json ? ['--json'] : [])];
    const { status } = spawnSync('unshare', args, { stdio: 'inherit' });
    process.exitCode = status ?? 1;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

const OPTIONS = {
  root: { type: 'string' },
  deb: { type: 'string' },
  /** Where its world is put together; removed by who started it. */
  work: { type: 'string' },
  json: { type: 'boolean' },
  inside: { type: 'boolean' },
};

if (process.argv[1] === import.meta.filename) {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if (values.inside) {
      const steps = await inside(values);
      if (values.json) process.stdout.write(`${JSON.stringify({ steps })}\n`);
    } else outside(values);
  } catch (error) {
    fail(error.message);
  }
}
