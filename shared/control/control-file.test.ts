/** The data folder of another user: nobody can say that no daemon runs there. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { beOrdinary } from '../../test/support/ordinary-user.ts';
import { ControlClient } from './client.ts';

it('a data folder that this user may not look into is refused as not theirs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'godwit-shut-'));
  const refusal = (): unknown => {
    const back = beOrdinary();
    try {
      return ControlClient.of(folder);
    } catch (error) {
      return error;
    } finally {
      back();
    }
  };
  try {
    chmodSync(folder, 0o755);
    expect(refusal()).toMatchObject({ code: 'not-running' });
    chmodSync(folder, 0o000);
    expect(refusal()).toMatchObject({
      code: 'not-yours',
      message: `${folder}: this user may not look into that data folder`,
    });
  } finally {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
  }
});
