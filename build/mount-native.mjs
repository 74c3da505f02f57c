/**
 * Builds the addon of the mount (daemon/adapters/mount/native) when its sources have changed. It is apart from the other addon, and built only for who mounts or
 * tests that, so that a set-up takes no longer. Built addons are kept beside the others (see native.mjs). Needs cargo, and nothing of FUSE.
 *
 *   node build/mount-native.mjs          build if needed
 *   node build/mount-native.mjs --test   run the crate's own tests
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { endAllWithUs } from './end-of-run.mjs';

const CRATE = fileURLToPath(new URL('../daemon/adapters/mount/native/', import.meta.url));
const TARGET = `${process.platform}-${process.arch}`;
const OUTPUT = join(CRATE, `godwit-mount.${TARGET}.node`);
const STAMP = `${OUTPUT}.stamp`;

/** Makes sure that the addon is there and current. Throws an Error with what cargo said. */
export function ensureMountNative() {
  const hash = sourceHash();
  if (existsSync(OUTPUT) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash) return;
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const cache = process.env.GODWIT_NATIVE_CACHE || join(base, 'godwit', 'native');
  const kept = join(cache, `mount-${hash}.node`);
  if (!existsSync(kept)) {
    const built = build();
    mkdirSync(dirname(kept), { recursive: true });
    copyWhole(built, kept);
  }
  copyWhole(kept, OUTPUT);
  writeFileSync(STAMP, hash);
}

function sourceHash() {
  const hash = createHash('sha256').update(TARGET);
  const sources = readdirSync(join(CRATE, 'src')).map((name) => join('src', name));
  for (const source of ['Cargo.toml', 'Cargo.lock', 'build.rs', ...sources].sort()) {
    const bytes = readFileSync(join(CRATE, source));
    hash.update(`\0${source}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** Under a temporary name first, so that no process ever loads half an addon. */
function copyWhole(from, to) {
  const unfinished = `${to}.${process.pid}.tmp`;
  copyFileSync(from, unfinished);
  renameSync(unfinished, to);
}

function cargo(args, stdio) {
  const all = [...args, '--locked', '--release', '--target-dir', join(CRATE, 'target')];
  return spawnSync('cargo', all, { cwd: CRATE, stdio, encoding: 'utf8' });
}

function build() {
  const { status, stderr, error } = cargo(['build'], ['ignore', 'ignore', 'pipe']);
  if (status !== 0) throw new Error(`the mount could not be built: ${error ?? stderr}`);
  const library = process.platform === 'darwin' ? 'libgodwit_mount.dylib' : 'libgodwit_mount.so';
  return join(CRATE, 'target', 'release', library);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  // In a test, its run ends what it has started.
  endAllWithUs();
  if (process.argv.includes('--test')) process.exitCode = cargo(['test'], 'inherit').status ?? 1;
  else ensureMountNative();
}
