/**
 * Makes an installer of the tray with electron-builder, or the folder that would be in one: the tray with an Electron of its own, and
 * server, daemon and CLI beside it.
 *
 *   node build/package-tray.mjs [--target dir|AppImage|dmg|nsis] [--out DIR] [--electron DIR] [--builder DIR]
 *
 * `--target`: `dir` (the default) is the folder alone, for inspection; dmg is made on macOS, nsis on Windows. `--electron`: the
 * folder of an unpacked Electron; left out, electron-builder fetches the one of package.json. `--builder`: a folder in whose node_modules electron-builder
 * is; left out, npm fetches it. Needs a set-up that is complete (`npm run setup`).
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, ROOT } from './node-path.mjs';
import { uiIsBuilt } from './ui.mjs';

const BUILDER = 'electron-builder@26.17.0';
const CONFIG = join('build', 'package', 'electron-builder.mjs');
const SYSTEMS = { dir: null, AppImage: 'linux', dmg: 'darwin', nsis: 'win32' };
const FLAGS = { linux: '--linux', darwin: '--mac', win32: '--win' };

function main() {
  const { values } = parseArgs({
    options: {
      target: { type: 'string', default: 'dir' },
      out: { type: 'string', default: join(ROOT, '.cache', 'packages') },
      electron: { type: 'string' },
      builder: { type: 'string' },
    },
  });
  const { target, electron, builder } = values;
  if (!Object.hasOwn(SYSTEMS, target)) {
    throw new Error(`${target}: no such target. Give ${Object.keys(SYSTEMS).join(', ')}.`);
  }
  const system = SYSTEMS[target] ?? process.platform;
  if (system !== process.platform || FLAGS[system] === undefined) {
    throw new Error(`${target}: it is made on ${system}, and this is ${process.platform}`);
  }
  if (!uiIsBuilt()) throw new Error('the page and the tray are not built. Run `npm run setup`.');
  const out = resolve(values.out);
  const given = electron === undefined ? [] : ownElectron(resolve(electron));
  run(builder, [
    ...['--config', CONFIG, '--publish', 'never', FLAGS[system], target],
    ...[`--config.directories.output=${out}`, ...given],
  ]);
  process.stdout.write(`${out}\n`);
}

/** Its version is what it says itself. */
function ownElectron(folder) {
  const program = join(folder, process.platform === 'win32' ? 'electron.exe' : 'electron');
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const asked = spawnSync(program, ['-p', 'process.versions.electron'], { env, encoding: 'utf8' });
  if (asked.status !== 0) {
    throw new Error(
      `${folder}: there is no Electron in it that starts. Give the folder it is unpacked in.`,
    );
  }
  return [`--config.electronDist=${folder}`, `--config.electronVersion=${asked.stdout.trim()}`];
}

function run(builder, args) {
  const own = builder && join(resolve(builder), 'node_modules', 'electron-builder', 'cli.js');
  if (own && !existsSync(own)) throw new Error(`${builder}: there is no electron-builder in it`);
  const npm = ['npm', ['exec', '--yes', '--package', BUILDER, '--', 'electron-builder', ...args]];
  const [command, all] = own ? [process.execPath, [own, ...args]] : npm;
  const options = { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] };
  const { status, error } = spawnSync(command, all, {
    ...options,
    shell: process.platform === 'win32' && !own,
  });
  if (status === 0) return;
  throw new Error(`electron-builder has failed: ${error?.message ?? `it ended with ${status}`}`);
}

try {
  main();
} catch (error) {
  fail(error.message);
}
