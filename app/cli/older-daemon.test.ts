/** A daemon that was started before an update goes on as it was: each command that tells of it says so. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { programVersion } from '../../shared/system/program-version.ts';
import { FakeControl } from '../../test/support/fake-control.ts';
import { godwit } from '../../test/support/run-cli.ts';
import { olderDaemon } from './older-daemon.ts';

let control: FakeControl;
beforeEach(async () => {
  control = new FakeControl();
  await control.start();
});
afterEach(() => control.close());

it.each(['status', 'doctor'])(
  '`godwit %s` says which version runs and what to do',
  async (name) => {
    control.daemon.become({ version: programVersion() });
    const before = await godwit([name, '--data', control.data]);
    expect(before.stdout).not.toContain('is installed');
    control.daemon.become({ installed: '9.9.9' });
    const { stdout } = await godwit([name, '--data', control.data]);
    expect(stdout).toContain(`the daemon runs version ${programVersion()}, and 9.9.9 is installed`);
    expect(stdout).toContain('godwit down');
  },
);

it('a command of a third version goes by what lies where the daemon began', () => {
  expect(olderDaemon({ version: '1.0.0', installed: '1.1.0' }, '0.9.0')).toContain('1.1.0');
  expect(olderDaemon({ version: '1.0.0' }, '1.0.0')).toBeNull();
  expect(olderDaemon({ version: '1.0.0' }, '1.1.0')).toContain('1.1.0 is installed');
  expect(olderDaemon(null, '1.1.0')).toBeNull();
});
