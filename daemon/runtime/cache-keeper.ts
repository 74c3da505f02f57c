/**
 * What a person wants to have here, or not, for a whole path: goes down the tree and asks the core for each vnode.
 *
 * A folder is pinned as one, so that what is made in it later is pinned too; what is in it by now is fetched. `unpin` ends the pins of
 * what is in it, too. A failure for one file is reported, and the others go on.
 */
import type {
  CacheException,
  CachePreview,
  CacheReport,
  CacheUse,
} from '../../shared/control/cache.ts';
import type { Fid } from '../../shared/model/fid.ts';
import { nameBehind } from '../../shared/model/placeholder-name.ts';
import type { CacheChange, ContentsAct } from '../../shared/model/cache.ts';
import type { ExcludedHere, ExcludedReport } from '../../shared/control/exclusions.ts';
import type { CacheKeeper, VolumePath } from '../../shared/ports/controlled.ts';
import type { KeptContents, ReplicaFrontEnd } from '../../shared/ports/feed.ts';
import type { Attributes, FileSystem, NamedAttributes } from '../../shared/ports/file-system.ts';
import { Semaphore } from '../../shared/concurrency/semaphore.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import type { CacheOutcome } from '../core/calls/cache-calls.ts';
import type { ClientReports } from '../core/reports/client-reports.ts';
import { ASKED_AT_ONCE, MOST_SHOWN } from '../limits.ts';
import type { CallBroker } from './call-broker.ts';
import { ExclusionKeeper } from './exclusion-keeper.ts';

interface Found {
  readonly path: readonly string[];
  readonly attributes: Attributes;
}

const BRINGS: ReadonlySet<ContentsAct> = new Set(['prefetch', 'demand']);

class Tally {
  files = 0;
  bytes = 0;
  unchanged = 0;
  failed = 0;
  readonly exceptions: CacheException[] = [];

  done(bytes: number): void {
    this.files += 1;
    this.bytes += bytes;
  }

  except({ path }: Found, why: string): void {
    this.failed += 1;
    if (this.exceptions.length < MOST_SHOWN) {
      this.exceptions.push({ path: `/${path.join('/')}`, why });
    }
  }
}

/** Pins, unpins, fetches and evicts whole paths, by asking the core for each vnode below. */
export class CoreCacheKeeper implements CacheKeeper {
  readonly #fileSystem: FileSystem;
  readonly #broker: CallBroker;
  readonly #reports: ClientReports;
  readonly #frontEnd: () => ReplicaFrontEnd | null;
  readonly #exclusions: ExclusionKeeper;

  /** `frontEnd`: what shows the volume, if anything does. */
  constructor(
    fileSystem: FileSystem,
    broker: CallBroker,
    reports: ClientReports,
    frontEnd: () => ReplicaFrontEnd | null,
  ) {
    this.#fileSystem = fileSystem;
    this.#broker = broker;
    this.#reports = reports;
    this.#frontEnd = frontEnd;
    const acrossMounts = (at: VolumePath): VolumePath => reports.acrossMounts(at);
    this.#exclusions = new ExclusionKeeper({ fileSystem, broker, acrossMounts, frontEnd });
  }

  exclude(volume: string, path: readonly string[]): Promise<ExcludedHere> {
    return this.#exclusions.exclude(volume, path);
  }

  include(volume: string, path: readonly string[]): Promise<ExcludedHere> {
    return this.#exclusions.include(volume, path);
  }

  excluded(): ExcludedReport {
    return this.#exclusions.report();
  }

  /** Of the front end, where it may show files without their contents. */
  #kept(): KeptContents | null {
    return this.#frontEnd()?.contents ?? null;
  }

  use(): CacheUse {
    const folder = this.#kept()?.use();
    const use = this.#reports.cacheUse();
    return folder === undefined ? use : { ...use, folder };
  }

  async preview(change: CacheChange): Promise<CachePreview> {
    const { preview, boundOf } = this.#reports.cacheAfter(change);
    return (await this.#kept()?.preview(boundOf)) ?? preview;
  }

  async act(act: ContentsAct, volume: string, path: readonly string[]): Promise<CacheReport> {
    const top = await this.#find(volume, path);
    if (act === 'demand' && top.attributes.kind === 'directory') {
      throw new GodwitError('is-a-directory', `/${path.join('/')}: it is a folder`);
    }
    const tally = new Tally();
    if (act === 'pin') await this.#ask('pin', top);
    const each = act === 'pin' ? 'prefetch' : act;
    const slots = new Semaphore(ASKED_AT_ONCE);
    const requests: Array<Promise<void>> = [];
    for await (const found of this.#below(top)) {
      const isFile = found.attributes.kind === 'file';
      if (!isFile && each !== 'unpin') continue;
      requests.push(slots.run(() => this.#one(each, found, tally, act === 'pin')));
    }
    await Promise.all(requests);
    const { files, bytes, unchanged, failed, exceptions } = tally;
    exceptions.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { files, bytes, unchanged, failed, exceptions };
  }

  async #one(act: ContentsAct, found: Found, tally: Tally, pinned: boolean): Promise<void> {
    const { cached, size } = found.attributes;
    try {
      const { kind, bytes, kept } = await this.#ask(act, found);
      if (kept !== null) tally.except(found, kept);
      else if (pinned) tally.done(size);
      else if (BRINGS.has(act) ? cached : kind === 'unchanged') tally.unchanged += 1;
      else tally.done(BRINGS.has(act) ? size : bytes);
    } catch (error) {
      // It was removed meanwhile.
      if (codeOf(error) === 'not-found') return;
      if (!(error instanceof GodwitError)) throw error;
      tally.except(found, error.message);
    }
  }

  async #ask(act: ContentsAct, { attributes }: Found): Promise<CacheOutcome> {
    const { fid, kind } = attributes;
    const outcome = await this.#broker.call<CacheOutcome>({ op: act, fid });
    const kept = this.#kept();
    if (kept === null || kind !== 'file' || outcome.kind === 'kept') return outcome;
    if (act !== 'evict' && !BRINGS.has(act)) return outcome;
    // From the file store it is put in place; evicted there it may be in place still.
    const inPlace = await (act === 'evict' ? kept.evict(fid) : kept.fill(fid));
    if (inPlace.kind !== 'unchanged' || outcome.kind === 'unchanged') return inPlace;
    return outcome;
  }

  async #find(name: string, path: readonly string[]): Promise<Found> {
    const volumes = await this.#fileSystem.volumes();
    const volume = volumes.find((each) => each.name === name);
    if (volume === undefined) {
      throw new GodwitError('no-such-volume', `${name}: there is no such volume`);
    }
    let attributes = await this.#fileSystem.getattr(volume.root);
    const found: string[] = [];
    for (const [index, name] of path.entries()) {
      if (attributes.kind !== 'directory') {
        const [shown, file] = [path, found].map((names) => `/${names.join('/')}`);
        throw new GodwitError('not-a-directory', `${shown}: ${file} is no folder`);
      }
      const there =
        (await this.#lookup(attributes.fid, name)) ??
        (index === path.length - 1 ? await this.#behind(attributes.fid, name) : null);
      if (there === null) {
        const shown = `/${path.join('/')}`;
        throw new GodwitError('not-found', `${shown}: there is no such file or folder`);
      }
      found.push(there.name);
      ({ attributes } = there);
    }
    return { path: found, attributes };
  }

  /** By the name of its placeholder. */
  #behind(dir: Fid, name: string): Promise<NamedAttributes | null> {
    const behind = nameBehind(name);
    return behind === null ? Promise.resolve(null) : this.#lookup(dir, behind);
  }

  async #lookup(dir: Fid, name: string): Promise<NamedAttributes | null> {
    try {
      return { name, attributes: await this.#fileSystem.lookup(dir, name) };
    } catch (error) {
      if (codeOf(error) === 'not-found') return null;
      throw error;
    }
  }

  async *#below(top: Found): AsyncGenerator<Found, void, undefined> {
    yield top;
    if (top.attributes.kind !== 'directory') return;
    let entries;
    try {
      entries = await this.#fileSystem.readdir(top.attributes.fid);
    } catch (error) {
      if (codeOf(error) === 'not-found') return;
      throw error;
    }
    for (const { name, attributes } of entries) {
      yield* this.#below({ path: [...top.path, name], attributes });
    }
  }
}

const codeOf = (error: unknown): string | null =>
  error instanceof GodwitError ? error.code : null;
