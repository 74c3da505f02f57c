import { expect, it } from '@jest/globals';
import { desktopEntry } from './desktop-entry.ts';

it('a desktop entry runs the exact command, whatever characters are in it', () => {
  const entry = desktopEntry(['/opt/a b/node', 'c"d', 'e$f`g', 'h\\i', '100%']);
  const exec = entry.split('\n').find((line) => line.startsWith('Exec='));
  expect(exec).toBe('Exec="/opt/a b/node" "c\\\\"d" "e\\\\$f\\\\`g" "h\\\\\\\\i" "100%%"');
});

it('a line break in an argument begins no line of the entry', () => {
  const entry = desktopEntry(['/opt/node', 'up', '--data', '/home/ann/a\nExec=b\r\tc']);
  expect(entry.match(/^Exec=.*$/gm)).toEqual([
    'Exec="/opt/node" "up" "--data" "/home/ann/a\\nExec=b\\r\\tc"',
  ]);
});
