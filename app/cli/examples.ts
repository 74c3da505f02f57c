/** An example or two of each command that takes arguments, as `--help`, the manual pages and the reference show them. */
import type { Command } from 'commander';

/** By the words of the command after `godwit`. Commands of the laboratory are explained in its own pages. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  'server invite': ['godwit server invite', 'godwit server invite ann --volume photos'],
  'server withdraw': ['godwit server withdraw 5d41'],
  'server rename': ['godwit server rename 3 study'],
  'server revoke': ['godwit server revoke 3'],
  'server user add': ['godwit server user add ann'],
  'server user rename': ['godwit server user rename ann anna'],
  'server user remove': ['godwit server user remove ann'],
  'server volume create': [
    'godwit server volume create photos --owner ann --quota 50GB',
    'godwit server volume create trial --from photos@before-the-move',
  ],
  'server volume rename': ['godwit server volume rename photos pictures'],
  'server volume remove': ['godwit server volume remove pictures'],
  'server volume restore': ['godwit server volume restore pictures'],
  'server volume dump': ['godwit server volume dump photos photos.dump'],
  'server volume load': ['godwit server volume load photos.dump --as pictures --owner ann'],
  'server snapshot create': ['godwit server snapshot create home before-the-move'],
  'server snapshot ls': ['godwit server snapshot ls home'],
  'server snapshot rm': ['godwit server snapshot rm home before-the-move'],
  'server snapshot schedule': ['godwit server snapshot schedule home daily --keep 14'],
  'server backup': [
    'godwit server backup /mnt/backup',
    'godwit server backup /mnt/backup --verify',
  ],
  'server restore': ['godwit server restore /mnt/backup'],
  'server access ls': ['godwit server access ls photos'],
  'server access give': [
    'godwit server access give photos ann write',
    'godwit server access give photos @family read',
  ],
  'server access take': ['godwit server access take photos ann'],
  'server team ls': ['godwit server team ls', 'godwit server team ls family'],
  'server team create': ['godwit server team create family --owner ann'],
  'server team remove': ['godwit server team remove family'],
  'server team off': ['godwit server team off family'],
  'server team on': ['godwit server team on family'],
  'server team add': ['godwit server team add family bob'],
  'server team drop': ['godwit server team drop family bob'],
  'server quota': ['godwit server quota home 100GB', 'godwit server quota home none'],
  status: ['godwit status', 'godwit status notes.txt'],
  'conflicts show': ['godwit conflicts show 1', 'godwit conflicts show notes.txt'],
  'conflicts resolve': ['godwit conflicts resolve 1 --keep mine'],
  'conflicts dismiss': ['godwit conflicts dismiss 1'],
  open: ['godwit open film.mp4.godwit'],
  'queue now': ['godwit queue now notes.txt'],
  'queue later': ['godwit queue later film.mp4'],
  'queue cancel': ['godwit queue cancel film.mp4'],
  writeback: ['godwit writeback async --delay 30'],
  sharing: ['godwit sharing', 'godwit sharing plans shared'],
  lock: ['godwit lock plans/budget.ods'],
  unlock: ['godwit unlock plans/budget.ods', 'godwit unlock --break plans/budget.ods'],
  'network set': ['godwit network set metered --budget 200MB/day'],
  'network forget': ['godwit network forget metered'],
  use: ['godwit use', 'godwit use ~/Work', 'godwit use --forget'],
  config: ['godwit config cache.maximum 20GB', 'godwit config cache.maximum --unset'],
  confirm: ['godwit confirm', 'godwit confirm old-photos'],
  reject: ['godwit reject', 'godwit reject old-photos'],
  undo: ['godwit undo --list', 'godwit undo 1'],
  versions: ['godwit versions notes.txt', 'godwit versions -r .'],
  restore: [
    'godwit restore notes.txt --version 3',
    'godwit restore plans --at yesterday --to plans-of-yesterday',
  ],
  pin: ['godwit pin plans'],
  unpin: ['godwit unpin plans'],
  evict: ['godwit evict film.mp4'],
  prefetch: ['godwit prefetch plans film.mp4'],
  exclude: ['godwit exclude films photos/raw'],
  include: ['godwit include films'],
  'group create': ['godwit group create thesis chapters figures'],
  'group add': ['godwit group add thesis notes.txt'],
  'group remove': ['godwit group remove thesis notes.txt'],
  'group ls': ['godwit group ls', 'godwit group ls thesis'],
  share: [
    'godwit share ~/Godwit/trip --with ann:write',
    'godwit share ~/Godwit/trip --with ann:read --with @family:write',
    'godwit share ~/Godwit/photos --with ann --yes',
  ],
  accept: ['godwit accept trip', 'godwit accept trip-3fa2 ~/Godwit/travel/trip'],
  leave: ['godwit leave trip'],
  unshare: ['godwit unshare ~/Godwit/trip', 'godwit unshare ~/Godwit/trip --with ann'],
  access: ['godwit access', 'godwit access ~/Godwit/trip'],
  'access give': ['godwit access give ann write', 'godwit access give @family read'],
  'access take': ['godwit access take ann'],
  'team ls': ['godwit team ls', 'godwit team ls family'],
  'team create': ['godwit team create family'],
  'team remove': ['godwit team remove family'],
  'team off': ['godwit team off family'],
  'team on': ['godwit team on family'],
  'team add': ['godwit team add family bob'],
  'team drop': ['godwit team drop family bob'],
  'volume mount': ['godwit volume mount photos pictures/shared'],
  'volume unmount': ['godwit volume unmount pictures/shared'],
  ls: ['godwit ls plans', 'godwit ls plans --at yesterday'],
  cat: ['godwit cat notes.txt'],
  put: ['godwit put report.pdf plans/report.pdf'],
  completion: ['godwit completion bash'],
};

/** Gives a command, and each inside of it, its examples. `above`: the words before its name. */
export function addExamples(command: Command, above: readonly string[] = []): void {
  for (const child of command.commands) {
    const words = [...above, child.name()];
    const examples = EXAMPLES[words.join(' ')];
    if (examples !== undefined) {
      const lines = examples.map((line) => `  ${line}`);
      child.addHelpText('after', ['', 'Examples:', ...lines].join('\n'));
    }
    addExamples(child, words);
  }
}
