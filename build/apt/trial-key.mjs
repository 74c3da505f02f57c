/** A key of gpg that lasts as long as a trial, so that what is tried is signed as a release is. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Runs `make` with a gpg that has this key alone, in a folder of `work`; where there is no gpg, with none. */
export function withTrialKey(work, make) {
  const home = join(work, 'gnupg');
  mkdirSync(home, { mode: 0o700 });
  const before = process.env['GNUPGHOME'];
  process.env['GNUPGHOME'] = home;
  try {
    const about = ['Godwit trial', 'ed25519', 'sign', '1d'];
    const args = ['--batch', '--passphrase', '', '--quick-gen-key', ...about];
    spawnSync('gpg', args, { stdio: 'ignore' });
    return make();
  } finally {
    spawnSync('gpgconf', ['--kill', 'all'], { stdio: 'ignore' });
    if (before === undefined) delete process.env['GNUPGHOME'];
    else process.env['GNUPGHOME'] = before;
  }
}
