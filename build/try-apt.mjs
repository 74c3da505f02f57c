/**
 * The first day on an empty Debian: apt installs the packages from a repository that was just made and signed, `godwit-server setup` starts
 * the service under a real systemd that is the first process of its namespace, a user pairs and syncs, and all is purged again.
 *
 *   sudo node build/try-apt.mjs --root DIR [--packages DIR] [--json]
 *
 * `--root`: an unpacked Debian 12 with systemd (`npm run try:deb` makes one in .cache/debian-12); it is not changed. No network is used, and
 * all of it happens in namespaces of its own. `--packages`: .deb files; left out, they are made.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeRepository } from './apt-repo.mjs';
import { fail } from './node-path.mjs';
import { makePackages } from './package-deb.mjs';
import { DEBIAN_ROOT, missingForTry } from './try-deb.mjs';

const KEYRING = 'godwit-archive-keyring.gpg';
const APT = ['-y', '--no-install-recommends', '-o', 'APT::Sandbox::User=root'];
const LISTS = ['-o', 'Dir::Etc::sourcelist=/dev/null', '-o', 'APT::Sandbox::User=root'];
/** Each takes a tenth of a second at least. */
const MOST_QUESTIONS = 600;
const DATA = '/var/lib/godwit-server';

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    ...options,
  });
  if (status === 0) return stdout;
  const output = (error?.message ?? `${stderr}${stdout}`).trim().split('\n').slice(-3).join(' ');
  throw new Error(`${[command, ...args].join(' ')}: ${output}`);
}

const mount = (type, where, ...more) => run('mount', ['-t', type, 'none', where, ...more]);

/** A Debian over which what happens is written to memory, with an address of its own for the loopback alone. */
function world(lower, work) {
  const [root, over] = [join(work, 'root'), join(work, 'over')];
  for (const path of [root, over]) mkdirSync(path);
  mount('tmpfs', over);
  for (const name of ['upper', 'work']) mkdirSync(join(over, name));
  const layers = `lowerdir=${lower},upperdir=${join(over, 'upper')},workdir=${join(over, 'work')}`;
  mount('overlay', root, '-o', layers);
  run('mount', ['--rbind', '/dev', join(root, 'dev')]);
  for (const name of ['run', 'tmp']) mount('tmpfs', join(root, name), '-o', 'mode=1777');
  mount('sysfs', join(root, 'sys'));
  run('ip', ['link', 'set', 'lo', 'up']);
  return root;
}

/** Starts systemd as the first process of a namespace; gives what runs a command beside it. */
function beginSystem(root, group) {
  writeFileSync(join(group, 'cgroup.procs'), String(process.pid));
  const begin = [
    `mount -t proc none ${root}/proc`,
    `mount -t cgroup2 none ${root}/sys/fs/cgroup`,
    `exec chroot ${root} env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --show-status=0`,
  ].join(' && ');
  const own = ['--cgroup', '--pid', '--fork', '--kill-child=SIGKILL', '--mount'];
  const manager = spawn('unshare', [...own, 'sh', '-c', begin], { stdio: 'ignore' });
  const first = () =>
    run('sh', ['-c', `cat /proc/${manager.pid}/task/${manager.pid}/children`])
      .trim()
      .split(' ')[0];
  const inside = (...command) => {
    const enter = ['-t', first(), '-m', '-p', '-C', 'chroot', root, ...command];
    return run('nsenter', enter, {
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
    });
  };
  return { manager, inside };
}

async function askedUntil(work) {
  for (let asked = 1; ; asked++) {
    try {
      return work();
    } catch (error) {
      if (asked === MOST_QUESTIONS) throw error;
      await wait(100);
    }
  }
}

function installFrom(root, repository) {
  cpSync(repository, join(root, 'srv/godwit'), { recursive: true });
  const key = join(repository, KEYRING);
  if (existsSync(key)) copyFileSync(key, join(root, 'usr/share/keyrings', KEYRING));
  const trust = existsSync(key) ? `Signed-By: /usr/share/keyrings/${KEYRING}` : 'Trusted: yes';
  const source = [
    'Types: deb',
    'URIs: file:/srv/godwit',
    'Suites: stable',
    'Components: main',
    trust,
  ];
  writeFileSync(join(root, 'etc/apt/sources.list.d/godwit.sources'), `${source.join('\n')}\n`);
  mount('proc', join(root, 'proc'));
  run('chroot', [root, 'apt-get', 'update', ...LISTS]);
  run('chroot', [root, 'apt-get', 'install', ...APT, 'godwit-server']);
  const audit = run('chroot', [root, 'dpkg', '--audit']);
  if (audit !== '') throw new Error(`dpkg finds a package incomplete: ${audit}`);
  run('umount', [join(root, 'proc')]);
  return existsSync(key);
}

async function inside({ root: lower, repository, work, json }) {
  const results = [];
  const step = (name, detail) => {
    results.push({ name, detail });
    if (json !== true) process.stdout.write(`${name}: ${detail}\n`);
  };
  const root = world(lower, work);
  const signed = installFrom(root, repository);
  step(
    'installed',
    `godwit-server by apt from a repository that is ${signed ? 'signed' : 'not signed'}`,
  );
  const group = join('/sys/fs/cgroup', basename(work));
  mkdirSync(group);
  const system = beginSystem(root, group);
  const { inside: say } = system;
  try {
    await askedUntil(() => say('systemctl', 'is-system-running', '--wait'));
    say('useradd', '--create-home', 'ann');
    const as = (...command) =>
      say('runuser', '-u', 'ann', '--', 'env', 'HOME=/home/ann', ...command);
    step('version', as('godwit', '--version').trim());
    const set = JSON.parse(say('godwit-server', 'setup', '--address', '127.0.0.1', '--json'));
    await askedUntil(() => say('godwit-server', 'ready'));
    const owner = say('stat', '-c', '%U %a', DATA).trim();
    step(
      'service',
      `${set.service}, ${say('systemctl', 'is-enabled', 'godwit-server').trim()}, data ${owner}`,
    );
    as('godwit', 'up', '--invite', set.invitation, '--folder', '/home/ann/Godwit');
    writeFileSync(join(root, 'home/ann/Godwit/letter'), 'dear carl\n');
    as('godwit', 'flush', '--wait', '--timeout', '60');
    const { devices } = JSON.parse(say('godwit-server', 'devices', '--json'));
    step('paired', `${devices.length} device, a file is on the server`);
    const again = JSON.parse(
      say('godwit-server', 'setup', '--port', '5544', '--without-invitation', '--json'),
    );
    await askedUntil(() => say('godwit-server', 'ready'));
    step('set up again', `${again.service}, ${again.address}`);
    say('systemctl', 'restart', 'godwit-server');
    await askedUntil(() => say('godwit-server', 'ready'));
    as('godwit', 'down');
    const purged = say('apt-get', 'purge', ...APT, 'godwit-server', 'godwit');
    if (!purged.includes(`stay in ${DATA}`))
      throw new Error('purge does not say where the files are');
    const kept = readFileSync(join(root, 'home/ann/Godwit/letter'), 'utf8');
    if (kept !== 'dear carl\n') throw new Error(`the file of ann is ${JSON.stringify(kept)}`);
    say('test', '-f', `${DATA}/server.db`);
    say('test', '!', '-e', '/etc/godwit-server');
    say('test', '!', '-e', '/usr/lib/godwit');
    step('purged', "the user's files and the server's data are there, settings are not");
  } finally {
    writeFileSync('/sys/fs/cgroup/cgroup.procs', String(process.pid));
    writeFileSync(join(group, 'cgroup.kill'), '1');
    removeGroup(group);
  }
  return results;
}

/** From the innermost outwards. Where something in it ends just now, the kernel keeps an empty group. */
function removeGroup(group) {
  try {
    const found = run('find', [group, '-depth', '-type', 'd']).trim().split('\n');
    for (const path of found) rmdirSync(path);
  } catch {
    // It has no process, and goes with the machine.
  }
}

function outside(values) {
  const root = resolve(values.root ?? DEBIAN_ROOT);
  const missing = missingForTry(root);
  if (missing !== null) throw new Error(missing);
  const work = mkdtempSync(join(tmpdir(), 'godwit-apt-'));
  try {
    const packages = values.packages ?? join(work, 'packages');
    if (values.packages === undefined) makePackages({ out: packages, quick: true });
    const repository = join(work, 'repository');
    withKey(work, () => makeRepository({ out: repository, packages: resolve(packages) }));
    const own = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--ipc', '--net'];
    const given = ['--inside', '--root', root, '--repository', repository, '--work', work];
    const again = [process.execPath, import.meta.filename, ...given];
    const init = ['bash', '-c', '"$@"; exit $?', 'bash'];
    const { status } = spawnSync(
      'unshare',
      [...own, ...init, ...again, ...(values.json ? ['--json'] : [])],
      { stdio: 'inherit' },
    );
    process.exitCode = status ?? 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Signs with a key that lasts as long as the trial, where there is a gpg. */
function withKey(work, make) {
  const home = join(work, 'gnupg');
  mkdirSync(home, { mode: 0o700 });
  const before = process.env['GNUPGHOME'];
  process.env['GNUPGHOME'] = home;
  try {
    const key = [
      '--batch',
      '--passphrase',
      '',
      '--quick-gen-key',
      'Godwit trial',
      'ed25519',
      'sign',
      '1d',
    ];
    spawnSync('gpg', key, { stdio: 'ignore' });
    make();
  } finally {
    spawnSync('gpgconf', ['--kill', 'all'], { stdio: 'ignore' });
    if (before === undefined) delete process.env['GNUPGHOME'];
    else process.env['GNUPGHOME'] = before;
  }
}

const OPTIONS = {
  root: { type: 'string' },
  packages: { type: 'string' },
  repository: { type: 'string' },
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
