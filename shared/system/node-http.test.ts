import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..', '..');

it.each([
  'shared/control/client.ts',
  'shared/metrics/metrics-endpoint.ts',
  'daemon/adapters/control/control-endpoint.ts',
  'shared/page/page-endpoint.ts',
])('the module %s loads no fetch', (path) => {
  const script = `await import(${JSON.stringify(join(ROOT, path))});
    process.stdout.write(process.moduleLoadList.filter((name) => name.includes('undici')).join());`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
});
