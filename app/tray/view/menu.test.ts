import { describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../../../shared/control/commands.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { IDLE } from '../../../test/support/fake-daemon.ts';
import { choicesOf, menuOf, type MenuItem, type MenuAction } from './menu.ts';
import type { Known } from './status-view.ts';

const running = (change: Partial<StatusSnapshot> = {}): Known => ({
  kind: 'running',
  status: { ...IDLE, ...change },
});

const flat = (items: readonly MenuItem[]): Array<readonly [string, MenuAction | null]> =>
  items.flatMap((item) => {
    if (item.kind === 'line') return [];
    return item.kind === 'menu' ? flat(item.items) : [[item.label, item.wish] as const];
  });
const wishes = (known: Known): MenuAction[] =>
  flat(menuOf(known, 0)).flatMap(([, wish]) => (wish === null ? [] : [wish]));
const labels = (known: Known): string[] => flat(menuOf(known, 0)).map(([label]) => label);

describe('the menu of the tray', () => {
  it('begins with the state, which cannot be chosen', () => {
    expect(flat(menuOf(running(), 0))[0]).toEqual(['Everything is synced', null]);
  });

  it('has the entries that users look for', () => {
    expect(
      labels(running({ conflicts: [{ id: 1, when: '', path: 'a', copy: 'b', kind: '' }] })),
    ).toEqual([
      'Everything else is synced',
      'Connected to 127.0.0.1:1',
      '1 conflict …',
      'Open Godwit',
      'Open folder',
      'No files yet',
      'For 1 hour',
      'For 4 hours',
      'Until the network changes',
      'Until you resume',
      'Look for changes now',
      'Settings …',
      'Quit (syncing goes on)',
      'Stop syncing and quit',
    ]);
  });

  it('leads to what needs a person', () => {
    const held = { code: 'removals-held', message: '', remedy: '', path: null };
    const conflicts = [{ id: 1, when: '', path: 'a', copy: 'b', kind: '' }];
    expect(flat(menuOf(running({ conflicts, errors: [held] }), 0))).toContainEqual([
      '1 conflict, 1 problem …',
      { do: 'show', pane: 'home' },
    ]);
    expect(flat(menuOf(running({ conflicts }), 0))).toContainEqual([
      '1 conflict …',
      { do: 'show', pane: 'conflicts' },
    ]);
  });

  it('sends commands that the daemon accepts', () => {
    for (const known of [running(), running({ paused: true })]) {
      for (const wish of wishes(known)) {
        if (wish.do !== 'command') continue;
        expect(COMMANDS[wish.name].args.safeParse(wish.args).success).toBe(true);
      }
    }
  });

  it('offers to resume when syncing is paused', () => {
    const paused = running({ paused: true, state: 'paused' });
    expect(wishes(paused)).toContainEqual({ do: 'command', name: 'resume', args: {} });
    expect(labels(paused)).not.toContain('For 1 hour');
  });

  it('lists recent files by name and opens them when there is a folder', () => {
    const recent = [
      { volume: 'home', path: 'a/b\u202e.txt', how: 'received', when: '1970-01-01T00:00:00Z' },
    ] as const;
    const opens = { do: 'open-file', path: recent[0].path };
    expect(flat(menuOf(running({ recent }), 0))).toContainEqual([
      'b\ufffd.txt  –  received just now',
      opens,
    ]);
    const without = flat(menuOf(running({ recent, folder: null }), 0));
    expect(without).toContainEqual(['b\ufffd.txt  –  received just now', null]);
    expect(without.map(([label]) => label)).not.toContain('Open folder');
  });

  it('has the same choices whatever its words and recent files are, and others when paused', () => {
    const recent = [
      { volume: 'home', path: 'a', how: 'sent', when: '1970-01-01T00:00:00Z' },
    ] as const;
    const choices = (change: Partial<StatusSnapshot>, now = 0): string =>
      choicesOf(menuOf(running(change), now));
    expect(choices({ recent, state: 'syncing' }, 3_600_000)).toBe(choices({}));
    expect(choices({ paused: true })).not.toBe(choices({}));
    expect(choices({ folder: null })).not.toBe(choices({}));
  });

  it('has the reason for which a start failed, above the item that starts it', () => {
    expect(labels({ kind: 'away', why: '/data: the disk is full' }).slice(0, 3)).toEqual([
      ...['Not running', '/data: the disk is full', 'Start it'],
    ]);
  });

  it.each<[Known['kind'], string | null]>([
    ['away', 'Start it'],
    ['new', 'Set up …'],
    ['looking', null],
  ])('is short when the daemon is %s', (kind, label) => {
    const own = label === null ? [] : [label];
    expect(labels({ kind } as Known).slice(1)).toEqual([
      ...own,
      'Open Godwit',
      'Quit (syncing goes on)',
    ]);
  });
});
