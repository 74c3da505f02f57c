/** What mount points show in the mount: one place for each volume, as long as it may be seen. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Fid, VolumeId } from '../../../shared/model/fid.ts';
import { commitNumber } from '../../../shared/model/vnode.ts';
import type { Attributes, NamedAttributes } from '../../../shared/ports/file-system.ts';
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import { AskedOfCore } from './asked-of-core.ts';
import { ShownVolumes, type ShownParts } from './shown-volumes.ts';

const HOME = 1 as VolumeId;
const TEAM = 2 as VolumeId;
const ROOT = '1.1.1' as Fid;
const TEAM_ROOT = '2.1.1' as Fid;
const never = new Promise<never>(() => undefined);

/** A core with mount points in directories, before a mount whose addon only remembers what it is told. */
class World {
  /** The volumes that mount points show, by directory and name; null: it may not be seen. */
  readonly points = new Map<string, { at: string; volume: VolumeId | null }>();
  readonly rights = new Map<VolumeId, 'read' | 'write'>([
    [HOME, 'write'],
    [TEAM, 'write'],
  ]);
  readonly told: string[] = [];
  readonly asked: VolumeId[] = [];
  readonly shown: ShownVolumes;
  #heard = (): void => undefined;
  #timers: Array<() => void> = [];

  constructor() {
    const parts = {
      native: {
        mountKnows: () => true,
        mountRights: (_: number, volume: number, rights: string) =>
          void this.told.push(`${volume} ${rights}`),
        mountName: (_: number, dir: string, name: string, status: { key: string } | null) =>
          void this.told.push(`${dir}/${name} ${status?.key ?? 'gone'}`),
        mountListing: (_: number, dir: string) => void this.told.push(`${dir} listed`),
        mountStatus: () => undefined,
      },
      ...{ mount: 1, volume: HOME, log: { warn: () => undefined } },
      ...{ at: () => commitNumber(1), asked: new AskedOfCore(() => 0) },
      fileSystem: {
        readdir: (dir: Fid) => Promise.resolve(this.#entries(dir)),
        lookup: (dir: Fid, name: string) => this.#lookup(dir, name),
        getattr: () => Promise.reject(new GodwitError('not-found')),
      },
      feed: {
        onWoken: () => () => undefined,
        pendingEntry: () => false,
        pendingVnode: () => false,
        changes: (volume: VolumeId) => {
          this.asked.push(volume);
          return never;
        },
        snapshot: () => Promise.resolve({ at: commitNumber(2) }),
        volumesSeen: () => [...this.rights].map(([id, rights]) => ({ id, rights })),
        onVolumes: (heard: () => void) => {
          this.#heard = heard;
          return () => undefined;
        },
      },
      timers: {
        start: (_: number, then: () => void) => {
          this.#timers.push(then);
          return { cancel: () => undefined };
        },
      },
    };
    this.shown = new ShownVolumes(parts as unknown as ShownParts);
  }

  /** The server has said which volumes there are, and all that follows is done. */
  async hears(): Promise<void> {
    this.#heard();
    await this.settle();
  }

  async settle(): Promise<void> {
    for (let round = 0; round < 5; round++) {
      for (const then of this.#timers.splice(0)) then();
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    }
  }

  async keys(dir: Fid): Promise<string[]> {
    return (await this.shown.list(dir)).map(
      ({ name, status }) => `${name} ${status.key}${status.mount === status.key ? ' shut' : ''}`,
    );
  }

  #entries(dir: Fid): NamedAttributes[] {
    return [...this.points].flatMap(([key, { at, volume }]) => {
      const [above, name = ''] = key.split('/');
      if (above !== dir) return [];
      const isSeen = volume !== null && this.rights.has(volume);
      const mounted = { at, volume: isSeen ? 'team' : null, why: null };
      const about = { kind: 'directory', mode: 0o755, mtime: '0', size: 0, version: 1 };
      const fid = isSeen ? `${volume}.1.1` : at;
      const attributes = { ...about, fid, links: 1, target: null, xattrs: [], mounted };
      return [{ name, attributes: attributes as unknown as Attributes }];
    });
  }

  #lookup(dir: Fid, name: string): Promise<Attributes> {
    const found = this.#entries(dir).find((each) => each.name === name);
    if (found === undefined) return Promise.reject(new GodwitError('not-found'));
    return Promise.resolve(found.attributes);
  }
}

describe('mount points in a mount', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });

  it('show a volume at the first place that is met, and are shut at all others', async () => {
    world.points.set('1.1.1/team', { at: '1.5.5', volume: TEAM });
    world.points.set('1.1.1/again', { at: '1.6.6', volume: TEAM });
    world.points.set('2.1.1/ring', { at: '2.7.7', volume: HOME });
    expect(await world.keys(ROOT)).toEqual(['team 2.1.1', 'again 1.6.6 shut']);
    expect(await world.keys(TEAM_ROOT)).toEqual(['ring 2.7.7 shut']);
    await world.settle();
    expect(world.asked).toEqual([HOME, TEAM]);
    expect(world.shown.of(TEAM)).not.toBeNull();
  });

  it('show the volume at another place when its mount point has gone', async () => {
    world.points.set('1.1.1/team', { at: '1.5.5', volume: TEAM });
    world.points.set('1.1.1/again', { at: '1.6.6', volume: TEAM });
    await world.keys(ROOT);
    world.points.delete('1.1.1/team');
    await world.shown.of(HOME)?.nameChanged({ dir: ROOT, name: 'team' });
    await world.settle();
    expect(world.told).toContain('1.1.1/team gone');
    expect(world.told.at(-1)).toBe('1.1.1/again 2.1.1');
  });

  it('keep the volume where it is when the mount point gets another name', async () => {
    world.points.set('1.1.1/team', { at: '1.5.5', volume: TEAM });
    world.points.set('1.1.1/again', { at: '1.6.6', volume: TEAM });
    await world.keys(ROOT);
    world.points.delete('1.1.1/team');
    world.points.set('1.1.1/moved', { at: '1.5.5', volume: TEAM });
    for (const name of ['team', 'moved']) {
      await world.shown.of(HOME)?.nameChanged({ dir: ROOT, name });
    }
    await world.settle();
    expect(world.told.slice(-2)).toEqual(['1.1.1/team gone', '1.1.1/moved 2.1.1']);
  });

  it('are shut when the volume is withdrawn, and show it anew when it is back, with the rights of then', async () => {
    world.points.set('1.1.1/team', { at: '1.5.5', volume: TEAM });
    await world.keys(ROOT);
    world.shown.listed(TEAM_ROOT);
    world.rights.delete(TEAM);
    await world.hears();
    expect(world.told.slice(-2)).toEqual(['2 none', '1.1.1/team 1.5.5']);
    expect(world.shown.of(TEAM)).toBeNull();
    world.rights.set(TEAM, 'read');
    await world.hears();
    expect(world.told.slice(-4)).toEqual([
      ...['1 write', '2 read', '1.1.1/team 2.1.1', '2.1.1 listed'],
    ]);
    expect(world.shown.of(TEAM)).not.toBeNull();
  });
});
