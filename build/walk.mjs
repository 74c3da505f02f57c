/**
 * The first day, walked: a server and two laptops, each an empty Debian in namespaces of its own, get their packages by apt from a signed
 * repository that was just made, over a network of their own. It counts the steps that people type and times them, until a file is on
 * the second laptop; then it removes everything, and looks at what is left.
 *
 *   sudo npm run walk [-- --root DIR] [--packages DIR] [--without-systemd] [--json]
 *
 * `--root`: an unpacked Debian 12; left out: one that debootstrap makes once (.cache/debian-12). It is not changed. `--packages`: .deb files;
 * left out, they are made. `--without-systemd`: none is in charge of these machines, as in many containers. Nothing outside is reached.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join, normalize, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeRepository } from './apt-repo.mjs';
import { withTrialKey } from './apt/trial-key.mjs';
import { fail } from './node-path.mjs';
import { makePackages } from './package-deb.mjs';
import { DEBIAN_ROOT, ensureRoot, missingForTry } from './try-deb.mjs';
import { Machine } from './walk/machine.mjs';
import { REPOSITORY_HOST, SERVER_HOST, walkIn, walkOut } from './walk/steps.mjs';

/** The first day is too long with more of either. */
const [MOST_STEPS, MOST_MINUTES] = [8, 10];
/** The whole, with what is made first. */
const MOST_MS = 30 * 60_000;
const BRIDGE = 'walk0';
const [HUB, SERVER, FIRST, SECOND] = [1, 10, 21, 22].map((last) => `192.0.2.${last}`);

/** Hands a folder out over HTTP. */
function serve(folder) {
  const server = createServer(({ url }, response) => {
    const file = join(folder, normalize(decodeURIComponent(url)));
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    createReadStream(file).pipe(response);
  });
  return new Promise((done) => server.listen(80, HUB, () => done(server)));
}

function makeBridge() {
  const ip = (...args) => execFileSync('ip', args);
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', BRIDGE, 'type', 'bridge');
  ip('address', 'add', `${HUB}/24`, 'dev', BRIDGE);
  ip('link', 'set', BRIDGE, 'up');
}

async function inside({ root, repository, work, json, 'without-systemd': without = false }) {
  const systemd = !without;
  const say = (text) => void (json || process.stdout.write(`${text}\n`));
  makeBridge();
  const http = await serve(repository);
  const groups = systemd ? join(work, 'groups', basename(work)) : null;
  if (systemd) {
    execFileSync('mount', ['-t', 'cgroup2', 'none', join(work, 'groups')]);
    mkdirSync(groups);
  }
  const machine = (name, address) =>
    new Machine({ name, address, lower: root, work: join(work, name), groups });
  const server = machine('server', SERVER);
  const laptops = [machine('laptop-a', FIRST), machine('laptop-b', SECOND)];
  const all = [server, ...laptops];
  try {
    const hosts = { [REPOSITORY_HOST]: HUB, [SERVER_HOST]: SERVER };
    await Promise.all(all.map((each) => each.start({ bridge: BRIDGE, hosts })));
    for (const each of all) {
      await each.root("useradd -m ann && echo 'ann ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/ann");
    }
    const steps = [];
    const step = async (where, line, input = '') => {
      const begin = performance.now();
      const { stdout, stderr } = await where.as('ann', line, { input });
      const seconds = (performance.now() - begin) / 1000;
      steps.push({ machine: where.name, line, seconds });
      say(`${steps.length}. ${where.name.padEnd(9)} ${seconds.toFixed(1).padStart(6)} s  ${line}`);
      return `${stdout}${stderr}`;
    };
    const begin = performance.now();
    await walkIn({ server, laptops }, step, { systemd });
    const minutes = (performance.now() - begin) / 60_000;
    say(
      `The file is on the second laptop after ${steps.length} steps and ${minutes.toFixed(1)} minutes.`,
    );
    const found = [];
    const report = (name, detail) => {
      found.push({ name, detail });
      say(`${name}: ${detail}`);
    };
    await walkOut({ server, laptops }, report, { systemd });
    if (systemd && steps.length > MOST_STEPS)
      throw new Error(`${steps.length} steps, at most ${MOST_STEPS}`);
    if (minutes > MOST_MINUTES)
      throw new Error(`${minutes.toFixed(1)} minutes, at most ${MOST_MINUTES}`);
    return { steps, minutes, found };
  } finally {
    http.closeAllConnections();
    http.close();
    for (const each of all) await each.stop();
  }
}

async function outside(values) {
  const root = resolve(values.root ?? DEBIAN_ROOT);
  if (values.root === undefined) ensureRoot();
  const missing = missingForTry(root);
  if (missing !== null) throw new Error(missing);
  const work = mkdtempSync(join(tmpdir(), 'godwit-walk-'));
  mkdirSync(join(work, 'groups'));
  try {
    const packages = values.packages ?? join(work, 'packages');
    if (values.packages === undefined) makePackages({ out: packages, quick: true });
    const repository = join(work, 'repository');
    const url = `http://${REPOSITORY_HOST}`;
    withTrialKey(work, () => makeRepository({ out: repository, packages: resolve(packages), url }));
    const own = [
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      '--mount-proc',
      '--ipc',
      '--net',
      '--cgroup',
    ];
    const flags = ['--inside', '--root', root, '--repository', repository, '--work', work];
    for (const name of ['json', 'without-systemd']) if (values[name]) flags.push(`--${name}`);
    const again = [process.execPath, import.meta.filename, ...flags];
    // The first process of the namespace is a shell: it takes in what daemons leave behind, and Node would not.
    const args = [...own, 'bash', '-c', '"$@"; exit $?', 'bash', ...again];
    process.exitCode = await runBounded('unshare', args);
  } finally {
    removeGroups(join(work, 'groups'), basename(work));
    rmSync(work, { recursive: true, force: true });
  }
}

/** The control groups of machines that have ended, from the innermost outwards. Where there are none, nothing. */
function removeGroups(place, name) {
  const remove = 'mount -t cgroup2 none "$0" && find "$0/$1" -depth -type d -exec rmdir {} +';
  spawnSync('unshare', ['--mount', 'sh', '-c', remove, place, name], { stdio: 'ignore' });
}

/** Gives the exit code. Whoever ends this ends that, and then what it has left behind is put away. */
async function runBounded(command, args) {
  const child = spawn(command, args, { stdio: 'inherit', timeout: MOST_MS });
  const end = () => child.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

const OPTIONS = {
  root: { type: 'string' },
  packages: { type: 'string' },
  'without-systemd': { type: 'boolean' },
  json: { type: 'boolean' },
  /** Of the run inside: what it takes, and where its machines are put together. */
  inside: { type: 'boolean' },
  repository: { type: 'string' },
  work: { type: 'string' },
};

if (process.argv[1] === import.meta.filename) {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if (values.inside) {
      const result = await inside(values);
      if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
    } else await outside(values);
  } catch (error) {
    fail(error.message);
  }
}
