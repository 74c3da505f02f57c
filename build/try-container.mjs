/**
 * The image of the server, built and run without a daemon of containers and without a registry: buildah puts the package over a Debian that
 * debootstrap has made, podman-compose runs it as build/release/compose.yaml says, a laptop pairs and syncs, and the server goes on with
 * its volume in a new container.
 *
 *   sudo npm run try:container [-- --root DIR] [--deb FILE] [--json]
 *
 * `--root`: an unpacked Debian 12, in place of the image debian:12-slim; left out: one that debootstrap makes once. `--deb`: the package
 * `godwit`; left out, it is made. Needs buildah, crun, podman and podman-compose. All of it is in namespaces of its own, with a network of
 * its own, and is removed at the end.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, findNode, ROOT } from './node-path.mjs';
import { makePackages } from './package-deb.mjs';
import { ensureRoot } from './try-deb.mjs';
import { untilGiven } from './walk/machine.mjs';

/** The Debian in place of the image debian:12-slim, made once. */
export const SLIM_ROOT = join(ROOT, '.cache', 'debian-12-slim');
const BASE = 'docker.io/library/debian:12-slim';
const IMAGE = 'godwit-server';
const PROGRAMS = ['unshare', 'buildah', 'crun', 'podman', 'podman-compose'];
const ADDRESS = '192.0.2.1';
const PORT = 4433;
/** How long one command may take, and the whole. */
const [COMMAND_MS, MOST_MS] = [300_000, 20 * 60_000];
/** No layer needs a mount, no limit is above that of whoever runs it, and no control group is divided: it runs where those are not to be had. */
const ENGINE = `[containers]
cgroups = "disabled"
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "crun"
`;
const storageText = (work) =>
  `[storage]\ndriver = "vfs"\ngraphroot = "${work}/storage"\nrunroot = "${work}/run"\n`;

/** Why it can not be tried here, for a person; null: it can. */
export function missingForContainer() {
  if (process.platform !== 'linux' || process.getuid() !== 0) return 'it takes root on Linux';
  const missing = PROGRAMS.filter(
    (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0,
  );
  return missing.length === 0 ? null : `there is no ${missing.join(', no ')}; install it by apt`;
}

function run(command, args, options = {}) {
  const all = { encoding: 'utf8', timeout: COMMAND_MS, ...options };
  const { status, stdout, stderr, error } = spawnSync(command, args, all);
  if (status === 0) return stdout;
  const output = (error?.message ?? `${stderr}${stdout}`).trim().split('\n').slice(-5).join('\n');
  throw new Error(`${[command, ...args].join(' ')}: ${output}`);
}

/** A network with one address, and control groups of one kind alone, which crun asks for. */
function prepareNamespace() {
  const script = [
    'umount -R /sys/fs/cgroup 2>/dev/null; set -e',
    'mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup',
    'mount -t tmpfs none /run',
    'ip link set lo up',
    'ip link add lan0 type bridge',
    `ip address add ${ADDRESS}/24 dev lan0`,
    'ip link set lan0 up',
  ];
  execFileSync('sh', ['-c', script.join('\n')]);
}

/** Builds the base from a Debian, and the image from the file that a release has. */
function build({ root, release }) {
  const container = run('buildah', ['from', 'scratch']).trim();
  run('buildah', ['add', '--quiet', container, root, '/']);
  run('buildah', ['commit', '--quiet', '--rm', container, BASE]);
  const how = ['--pull-never', '--format', 'docker', '--isolation', 'chroot'];
  run('buildah', ['build', '--quiet', ...how, '-t', IMAGE, '-f', 'Containerfile', '.'], {
    cwd: release,
  });
  const [{ Size, HealthCheck, Healthcheck }] = JSON.parse(
    run('podman', ['image', 'inspect', IMAGE]),
  );
  if ((HealthCheck ?? Healthcheck) === undefined) throw new Error('the image has no health check');
  return `${(Size / 1e6).toFixed(0)} MB, of which the base ${sizeOf(BASE)} MB; with a health check`;
}

function sizeOf(image) {
  const [{ Size }] = JSON.parse(run('podman', ['image', 'inspect', image]));
  return (Size / 1e6).toFixed(0);
}

class Service {
  #release;
  constructor(release) {
    this.#release = release;
  }

  compose(...args) {
    return run('podman-compose', args, { cwd: this.#release });
  }

  /** Starts it. Resolves when its health check has passed. */
  async up() {
    this.compose('up', '-d', '--no-build');
    await untilGiven(() => run('podman', ['healthcheck', 'run', this.name()]));
  }

  name() {
    return run('podman', ['ps', '--format', '{{.Names}}']).trim();
  }

  inside(...words) {
    return run('podman', ['exec', this.name(), 'godwit', 'server', ...words]);
  }

  /** Stops it as an update does, and gives its exit code. Its volume stays. */
  end() {
    const name = this.name();
    run('podman', ['stop', '--time', '60', name]);
    const code = run('podman', ['inspect', '--format', '{{.State.ExitCode}}', name]).trim();
    this.compose('down');
    return code;
  }
}

function laptopIn(work) {
  const [data, folder] = [join(work, 'laptop'), join(work, 'Godwit')];
  const godwit = (args, input = '') =>
    run(findNode(), [join(ROOT, 'build', 'godwit.mjs'), ...args, '--data', data], { input });
  return { folder, godwit };
}

async function inside({ root, deb, work, json }) {
  const steps = [];
  const report = (name, detail) => {
    steps.push({ name, detail });
    if (json !== true) process.stdout.write(`${name}: ${detail}\n`);
  };
  prepareNamespace();
  const release = join(work, 'release');
  cpSync(join(ROOT, 'build', 'release'), release, { recursive: true });
  mkdirSync(join(release, 'packages'), { recursive: true });
  copyFileSync(deb, join(release, 'packages', 'godwit_0_any.deb'));
  writeFileSync(join(work, 'containers.conf'), ENGINE);
  writeFileSync(join(work, 'storage.conf'), storageText(work));
  report('built', build({ root, release }));
  const server = new Service(release);
  const { folder, godwit } = laptopIn(work);
  try {
    await server.up();
    report(
      'runs',
      `${run('podman', ['exec', server.name(), 'id', '-u']).trim()} is its user, healthy`,
    );
    const said = server.inside('invite', '--address', `${ADDRESS}:${PORT}`, '--json');
    const { invitation } = JSON.parse(said);
    godwit(['up', '--folder', folder, '--invite', '-'], `${invitation}\n`);
    writeFileSync(join(folder, 'letter'), 'dear carl\n');
    godwit(['flush', '--wait', '--timeout', '60']);
    report('paired', 'a laptop is joined, and its file is on the server');
    report('stopped', `exit code ${server.end()}`);
    await server.up();
    writeFileSync(join(folder, 'second'), 'dear carl\n');
    godwit(['flush', '--wait', '--timeout', '120']);
    const { devices } = JSON.parse(server.inside('devices', '--json'));
    if (devices.length !== 1) throw new Error(`it has ${devices.length} devices`);
    const listed = godwit(['ls', '/']).trim().split(/\s+/);
    if (listed.join() !== 'letter,second') throw new Error(`it lists ${listed}`);
    report('begun anew', 'with its volume: the same device, both files');
    godwit(['down']);
    report('ended', `exit code ${server.end()}`);
  } finally {
    spawnSync('podman', ['rm', '--all', '--force'], { stdio: 'ignore' });
  }
  if (steps.some(({ detail }) => /exit code (?!0)/.test(detail)))
    throw new Error('it did not end in order');
  return steps;
}

async function outside(values) {
  const missing = missingForContainer();
  if (missing !== null) throw new Error(missing);
  const root = resolve(values.root ?? SLIM_ROOT);
  if (values.root === undefined) ensureRoot(root, 'ca-certificates');
  const work = mkdtempSync(join(tmpdir(), 'godwit-container-'));
  try {
    const deb = values.deb ?? makePackages({ out: join(work, 'packages'), quick: true }).product;
    const kinds = [
      'mount',
      'pid',
      'fork',
      'kill-child',
      'mount-proc',
      'ipc',
      'net',
      'cgroup',
      'uts',
    ];
    const again = [process.execPath, import.meta.filename, '--inside', '--root', root];
    again.push('--deb', resolve(deb), '--work', work, ...(values.json ? ['--json'] : []));
    // The first process of the namespace is a shell: it takes in what daemons leave behind, and Node would not.
    const args = [
      ...kinds.map((kind) => `--${kind}`),
      'bash',
      '-c',
      '"$@"; exit $?',
      'bash',
      ...again,
    ];
    const configured = {
      CONTAINERS_CONF: join(work, 'containers.conf'),
      CONTAINERS_STORAGE_CONF: join(work, 'storage.conf'),
      HOME: work,
      XDG_STATE_HOME: join(work, 'state'),
    };
    const env = { ...process.env, ...configured };
    const child = spawn('unshare', args, { stdio: 'inherit', timeout: MOST_MS, env });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill());
    const [code] = await once(child, 'exit');
    process.exitCode = code ?? 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const OPTIONS = {
  root: { type: 'string' },
  deb: { type: 'string' },
  json: { type: 'boolean' },
  /** Of the run inside, and where it works. */
  inside: { type: 'boolean' },
  work: { type: 'string' },
};

if (process.argv[1] === import.meta.filename) {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if (values.inside) {
      const steps = await inside(values);
      if (values.json) process.stdout.write(`${JSON.stringify({ steps })}\n`);
    } else await outside(values);
  } catch (error) {
    fail(error.message);
  }
}
