/** The Debian packages: made without a network, unpacked, and run from there; the product first, then the laboratory beside it. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect } from '@jest/globals';
import { productNative } from '../../build/native.mjs';
import { makePackages } from '../../build/package-deb.mjs';
import { itNeeds } from '../support/browser.ts';
import { onPath } from '../support/programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'godwit-deb-'));
afterAll(() => rmSync(folder, { recursive: true }));

const missing =
  process.platform !== 'linux' || onPath('dpkg-deb') === null ? 'there is no dpkg-deb here' : null;

interface Unpacked {
  readonly unpacked: string;
  readonly home: string;
  /** The paths in the package, without those of npm packages. */
  readonly ours: readonly string[];
  readonly run: (...args: string[]) => { status: number | null; stdout: string; stderr: string };
}

/** Unpacks over files that are already there. */
function unpack(file: string, unpacked: string): Unpacked {
  expect(spawnSync('dpkg-deb', ['-x', file, unpacked]).status).toBe(0);
  const home = join(unpacked, 'usr', 'lib', 'godwit');
  const names = readdirSync(home, { recursive: true }) as string[];
  const launcher = readFileSync(join(unpacked, 'usr', 'bin', 'godwit'), 'utf8');
  const moved = launcher.replaceAll('/usr/lib/godwit', home);
  return {
    unpacked,
    home,
    ours: names.filter((name) => !name.startsWith('node_modules/')),
    run: (...args) =>
      spawnSync('sh', ['-c', moved, 'godwit', ...args], { encoding: 'utf8', cwd: folder }),
  };
}

let made: ReturnType<typeof makePackages> | null = null;
const packages = () => (made ??= makePackages({ out: folder, electron: undefined, quick: true }));
const product = (): Unpacked => unpack(packages().product, join(folder, 'unpacked'));

itNeeds(missing)('the Debian package has all files that run and none that test or build', () => {
  const { unpacked, ours, home, run } = product();
  expect(ours.filter((name) => /\.test\.ts$|^test(\/|$)|\.rs$/.test(name))).toEqual([]);
  for (const name of ['jest', 'vite', 'eslint', 'playwright-core', 'electron']) {
    expect(existsSync(join(home, 'node_modules', name))).toBe(false);
  }
  expect(run('--version')).toMatchObject({ status: 0, stdout: '0.1.0\n', stderr: '' });
  // It gets as far as its settings, so the addon and the database load.
  const daemon = run('up', '--data', join(folder, 'data'), '--folder', join(folder, 'synced'));
  expect(daemon.stderr).toMatch(/^godwit: .*invitation/);
  const doctor = JSON.parse(run('doctor', '--json', '--data', join(folder, 'data')).stdout) as {
    findings: unknown[];
  };
  expect(doctor.findings).toContainEqual(expect.objectContaining({ check: 'addon', level: 'ok' }));
  const unit = readFileSync(join(unpacked, 'usr/lib/systemd/user/godwit.service'), 'utf8');
  expect(unit).toMatch(/^ExecStart=\/usr\/bin\/godwit up --foreground$/m);
  expect(unit).not.toMatch(/MemoryDenyWriteExecute|NoNewPrivileges/);
  return Promise.resolve();
});

itNeeds(missing)('the Debian package has nothing of npm that builds, tests or describes', () => {
  const { unpacked, home } = product();
  const names = readdirSync(join(home, 'node_modules'), { recursive: true }) as string[];
  expect(names.filter((name) => /\.(c|cc|cpp|h|hpp|gyp|map|md|ts)$|\/tests?\//.test(name))).toEqual(
    [],
  );
  const target = `${process.platform}-${process.arch}`;
  const addons = names.filter((name) => name.endsWith('.node'));
  expect(addons.filter((name) => !name.includes(target) || name.includes('musl'))).toEqual([]);
  const about = (name: string) => readFileSync(join(unpacked, 'usr/share/doc/godwit', name));
  expect(String(about('copyright'))).toMatch(/^zod \d[\s\S]*^Licence: MIT$/m);
  expect(gunzipSync(about('changelog.gz')).toString()).toMatch(/^godwit \(0\.1\.0\) /);
  const pages = readdirSync(join(unpacked, 'usr/share/man/man1'));
  expect(pages).toEqual(expect.arrayContaining(['godwit.1.gz', 'godwit-server.1.gz']));
  expect(pages).not.toContain('godwit-bench.1.gz');
  return Promise.resolve();
});

/** Runs the entry of the menu with programs that tell that they were started; `failing` of them fail. */
function fromMenu(has: readonly string[], failing: readonly string[], ...args: string[]): string[] {
  const place = mkdtempSync(join(folder, 'menu-'));
  spawnSync('dpkg-deb', ['-x', packages().desktop, place]);
  const bin = join(place, 'programs');
  mkdirSync(bin);
  const log = join(place, 'log');
  for (const name of has) {
    const fails = failing.map((words) => `case "${name} $*" in "${words}"*) exit 1 ;; esac`);
    const text = ['#!/bin/sh', `echo "${name} $*" >> '${log}'`, ...fails, 'exit 0', ''].join('\n');
    writeFileSync(join(bin, name), text, { mode: 0o755 });
  }
  const env = { PATH: bin };
  const { status } = spawnSync('/bin/sh', [join(place, 'usr/bin/godwit-desktop'), ...args], {
    env,
  });
  expect(status).toBe(0);
  return existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
}

const NOT_RUNNING = 'xdg-open /usr/share/godwit-desktop/not-running.html';

const MENU: ReadonlyArray<
  readonly [string, readonly string[], readonly string[], readonly string[]]
> = [
  ['the tray with an Electron', ['electron'], [], ['godwit tray']],
  ['a browser without one', [], [], ['godwit ui']],
  ['a browser where Electron fails', ['electron'], ['godwit tray'], ['godwit tray', 'godwit ui']],
  [
    'a page that says what to do where nothing starts',
    [],
    ['godwit ui', 'godwit up'],
    ['godwit ui', 'godwit up', NOT_RUNNING],
  ],
];

for (const [what, has, failing, expected] of MENU) {
  itNeeds(missing)(`the menu entry of the Debian package opens ${what}`, () => {
    expect(fromMenu(['godwit', 'xdg-open', ...has], failing)).toEqual(expected);
    return Promise.resolve();
  });
}

itNeeds(missing)('the tray of the Debian package opens nothing by itself at login', () => {
  expect(fromMenu(['godwit', 'xdg-open'], [], '--hidden')).toEqual([]);
  expect(fromMenu(['godwit', 'electron'], [], '--hidden')).toEqual(['godwit tray --hidden']);
  const place = mkdtempSync(join(folder, 'entries-'));
  spawnSync('dpkg-deb', ['-x', packages().desktop, place]);
  const entry = (path: string) => readFileSync(join(place, path), 'utf8');
  expect(entry('etc/xdg/autostart/godwit-tray.desktop')).toMatch(/^Hidden=true$/m);
  const type = /type="([^"]+)"/.exec(entry('usr/share/mime/packages/godwit.xml'))?.[1] ?? 'none';
  expect(entry('usr/share/applications/godwit-open.desktop').split('\n')).toEqual(
    expect.arrayContaining([`MimeType=${type};`, 'Exec=/usr/bin/godwit open %f']),
  );
  return Promise.resolve();
});

itNeeds(missing)('the Debian package of the server has a unit that may do little', () => {
  const place = mkdtempSync(join(folder, 'server-'));
  spawnSync('dpkg-deb', ['-x', packages().server, place]);
  const unit = readFileSync(join(place, 'usr/lib/systemd/system/godwit-server.service'), 'utf8');
  for (const line of ['User=godwit-server', 'NoNewPrivileges=yes', 'ProtectSystem=strict']) {
    expect(unit.split('\n')).toContain(line);
  }
  // V8 writes the code it runs.
  expect(unit).not.toContain('MemoryDenyWriteExecute');
  const control = spawnSync('dpkg-deb', ['-I', packages().server, 'conffiles'], {
    encoding: 'utf8',
  });
  expect(control.stdout).toBe('/etc/godwit-server/server.conf\n');
  return Promise.resolve();
});

itNeeds(missing)('the Debian package has no laboratory and prints where to get it', () => {
  const { ours, run } = product();
  expect(ours.filter((name) => name.startsWith('app/lab'))).toEqual([]);
  for (const name of ['bench', 'demo', 'link', 'replay', 'sim', 'trace', 'lab']) {
    expect(run(name, '--help')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `godwit: ${name}: the laboratory is not installed; install godwit-lab\n`,
    });
  }
  const { status, stdout } = run('--help');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^To begin with:\n {2}here /m);
  expect(stdout).not.toMatch(/^ {2}bench /m);
  expect(stdout).toMatch(/godwit-lab/);
  return Promise.resolve();
});

itNeeds(missing)('the second Debian package adds the laboratory', () => {
  const before = product().ours;
  const { ours, run } = unpack(packages().laboratory, join(folder, 'unpacked'));
  const added = ours.filter((name) => !before.includes(name));
  expect(added.filter((name) => !/^app\/lab(\/|$)/.test(name))).toEqual([]);
  expect(added).toContain('app/lab/laboratory.ts');
  expect(added.filter((name) => /\.test\.ts$/.test(name))).toEqual([]);
  expect(run('--help').stdout).toMatch(/^ {2}bench /m);
  const seed = ['--seed', '3', '--steps', '5', '--faults', 'none', '--json'];
  expect(JSON.parse(run('sim', ...seed).stdout)).toMatchObject({ seed: 3, findings: [] });
  expect(run('link').stderr).toMatch(/^godwit: link: --to HOST:PORT is missing; /);
  const control = spawnSync('dpkg-deb', ['-f', packages().laboratory, 'Depends', 'Version'], {
    encoding: 'utf8',
  });
  expect(control.stdout).toBe('Depends: godwit (= 0.1.0)\nVersion: 0.1.0\n');
  return Promise.resolve();
});

const missingAddon =
  productNative() === null ? 'run `node build/native.mjs --without-lab`' : missing;

itNeeds(missingAddon)(
  'the Debian package has an addon without the relay when that is requested',
  () => {
    const bare = makePackages({
      ...{ out: join(folder, 'bare'), electron: undefined, quick: true, withoutRelay: true },
    });
    const place = join(folder, 'without relay');
    const { home } = unpack(bare.product, place);
    const hasRelay = (path: string): boolean => 'relayOpen' in loadAddon(join(home, path));
    const name = `godwit.${process.platform}-${process.arch}.node`;
    expect(hasRelay(`shared/transport/native/${name}`)).toBe(false);
    unpack(bare.laboratory, place);
    expect(hasRelay(`app/lab/shaper/native/${name}`)).toBe(true);
    const shape = `
    const { shape } = await import('${pathToFileURL(join(home, 'app/lab/shaper/shape.ts')).href}');
    const { CLEAR } = await import('${pathToFileURL(join(home, 'app/lab/shaper/conditions.ts')).href}');
    console.log(JSON.stringify(shape(CLEAR, 1, [{ atNs: 5, bytes: 10 }])));`;
    const args = ['--input-type=module', '--eval', shape];
    expect(spawnSync(process.execPath, args, { encoding: 'utf8' })).toMatchObject({
      stdout: '[5]\n',
      stderr: '',
    });
    return Promise.resolve();
  },
);

const loadAddon = (path: string): object => createRequire(import.meta.url)(path) as object;
