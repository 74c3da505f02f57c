import { expect, it } from '@jest/globals';
import { readArguments } from './arguments.ts';
import { desktopEntry } from './desktop-entry.ts';

it('a desktop entry runs the command as it is, whatever is in it', () => {
  const entry = desktopEntry(['/opt/a b/node', 'c"d', 'e$f`g', 'h\\i', '100%']);
  const exec = entry.split('\n').find((line) => line.startsWith('Exec='));
  expect(exec).toBe('Exec="/opt/a b/node" "c\\\\"d" "e\\\\$f\\\\`g" "h\\\\\\\\i" "100%%"');
});

it('arguments of ours are told from those of Electron', () => {
  const own = ['--godwit-data=/d a', '--godwit-node=/n', '--godwit-cli=/c', '--godwit-hidden'];
  expect(readArguments(['electron', '--no-sandbox', '/app', ...own])).toEqual({
    ...{ data: '/d a', node: '/n', cli: '/c' },
    ...{ hidden: true, saysReady: false, tells: false },
  });
  expect(() => readArguments(['electron', '/app'])).toThrow('start it with godwit tray');
});
