/**
 * What the page of the tray, and of `godwit ui`, may ask of the daemon: the status, and these commands. The carrier of the page's calls
 * (the daemon's own page endpoint, the main process of the tray) lets nothing else through.
 */
import type { CommandName } from './protocol.ts';

export const PAGE_COMMANDS = [
  'pause',
  'resume',
  'queue',
  'queue-order',
  'fetches',
  'writeback',
  'scan',
  'confirm',
  'reject',
  'networks',
  'network-rule',
  'dismiss',
  'resolve',
  'preview',
  'cache',
  'cache-use',
  'cache-settings',
  'folder',
  'groups',
  'group',
  'group-order',
  'group-suggestions',
  'sharing',
  'sharing-order',
  'consistency',
  'server-address',
  'folder-place',
] as const satisfies readonly CommandName[];

export type PageCommand = (typeof PAGE_COMMANDS)[number];

export function isPageCommand(name: unknown): name is PageCommand {
  return (PAGE_COMMANDS as readonly unknown[]).includes(name);
}
