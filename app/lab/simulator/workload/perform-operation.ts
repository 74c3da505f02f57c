/** Carries out one operation of a plan on a laptop, and lets be seen what the program saw. */
import { milliseconds } from '../../../../shared/model/time.ts';
import {
  formatGroup,
  GROUP_XATTR,
  groupValue,
  parseGroup,
} from '../../../../shared/model/file-group.ts';
import { mtimeFromMs } from '../../../../shared/model/vnode.ts';
import type { Xattr } from '../../../../shared/model/vnode.ts';
import type { Attributes } from '../../../../shared/ports/file-system.ts';
import { compareFids } from '../../../../shared/model/fid.ts';
import { compareNaturally } from '../../../../shared/util/natural-order.ts';
import { assert } from '../../../../shared/util/assert.ts';
import { GodwitError } from '../../../../shared/wire/error-codes.ts';
import type { ErrorCode } from '../../../../shared/wire/error-codes.ts';
import type { Observe, Running } from '../check/observation.ts';
import type { Laptop } from '../check/laptop.ts';
import type { UserFiles } from '../cluster/user-files.ts';
import { contentOf } from '../plan/operation.ts';
import type { FileOperation } from '../plan/operation.ts';

/** What an operation may meet without anything being wrong. */
const HARMLESS: readonly ErrorCode[] = [
  'not-found',
  'exists',
  'not-a-directory',
  'is-a-directory',
  'not-empty',
  'cycle',
  'not-connected',
  'no-contents',
  // The laptop may not write, or not look, or no more.
  'no-right',
  'no-such-volume',
  // The server has not got yet what a person says something of.
  'not-committed',
  'no-such-vnode',
  // The error of a flush.
  'timed-out',
  'sync-blocked',
  // The daemon is closing down.
  'not-running',
];

const OF_SERVERS_DISK: readonly ErrorCode[] = ['server-full', 'internal'];

/** Files that a program reads of a folder: more than it takes to be read ahead. */
const MOST_READ = 8;
/** Rows of a report. */
const MOST_ASKED = 50;

/** Says how it went, for the trace. Throws what no program should meet. */
export async function perform(
  running: Running,
  files: UserFiles,
  hear: Observe,
  mayMeet: ReadonlySet<ErrorCode> = new Set(),
): Promise<string> {
  hear({ kind: 'began', running });
  try {
    await new Program(running, files, hear).run();
    hear({ kind: 'done', running });
    return 'done';
  } catch (error) {
    if (!(error instanceof GodwitError)) throw error;
    if (!HARMLESS.includes(error.code) && !mayMeet.has(error.code)) throw error;
    hear({ kind: 'refused', running, code: error.code });
    return error.code;
  }
}

type Look =
  | 'read'
  | 'read-through'
  | 'hold'
  | 'list'
  | 'readlink'
  | 'flush'
  | 'cache'
  | 'bounds'
  | 'sharing'
  | 'ask';
type Of<K extends FileOperation['do']> = Extract<FileOperation, { do: K }>;

/** The program that does one operation. */
class Program {
  readonly #running: Running;
  readonly #files: UserFiles;
  readonly #hear: Observe;

  constructor(running: Running, files: UserFiles, hear: Observe) {
    this.#running = running;
    this.#files = files;
    this.#hear = hear;
  }

  run(): Promise<unknown> {
    const { operation } = this.#running;
    switch (operation.do) {
      case 'write':
      case 'safe-save':
      case 'append':
      case 'patch':
      case 'abandon':
      case 'late-save':
      case 'scratch':
        return this.#writing(operation);
      case 'read':
      case 'read-through':
      case 'hold':
      case 'list':
      case 'readlink':
      case 'flush':
      case 'cache':
      case 'bounds':
      case 'sharing':
      case 'ask':
        return this.#looking(operation);
      case 'group':
        return this.#joinGroup(operation.path, operation.to);
      case 'chmod':
        return this.#files.chmod(operation.path, operation.mode);
      case 'utimes':
        return this.#files.setattr(operation.path, { mtime: mtimeFromMs(operation.ms) });
      case 'xattr':
        return this.#files.setattr(operation.path, { xattrs: xattrsOf(operation.value) });
      default:
        return this.#naming(operation);
    }
  }

  async #writing(
    operation: Of<'write' | 'safe-save' | 'append' | 'patch' | 'abandon' | 'late-save' | 'scratch'>,
  ): Promise<unknown> {
    const { path } = operation;
    const beside = `${path}.${this.#running.number}.tmp`;
    const content = contentOf(this.#running.number, operation.bytes);
    switch (operation.do) {
      case 'write':
        return this.#write(path, content);
      case 'safe-save':
        await this.#write(beside, content);
        return this.#rename(beside, path);
      case 'append':
        return this.#edit(path, (before) => Buffer.concat([before, content]));
      case 'patch':
        return this.#edit(path, (before) =>
          Buffer.concat([content, before.subarray(content.length)]),
        );
      case 'abandon':
        return this.#files.abandon(path, content);
      case 'late-save':
        return this.#saveLate(operation, content);
      case 'scratch':
        await this.#write(beside, content);
        return this.#remove(beside);
    }
  }

  async #looking(operation: Of<Look>): Promise<unknown> {
    const { path } = operation;
    const files = this.#files;
    switch (operation.do) {
      case 'read':
        return this.#read(path);
      case 'read-through':
        return this.#readThrough(operation);
      case 'hold':
        return Promise.all(Array.from({ length: operation.count }, () => this.#hold(operation)));
      case 'list': {
        const entries = await files.list(path);
        return this.#hear({ kind: 'listed', running: this.#running, path, entries });
      }
      case 'readlink':
        return this.#saw(path, await files.look(path), null);
      case 'flush':
        return this.#running.client.daemon.flush(operation.ms);
      case 'cache':
        return this.#cache(operation);
      case 'bounds':
        return this.#bound(operation);
      case 'sharing':
        return this.#share(operation);
      case 'ask':
        return this.#ask(path);
    }
  }

  /** Gives an order on sharing. A server whose disk fails or is full refuses it, which is no fault. */
  async #share({ path, order }: Of<'sharing'>): Promise<unknown> {
    // The one that runs now: it may have ended when it has answered.
    const { daemon } = this.#running.client;
    const { fid } = await this.#files.look(path);
    return daemon.orderSharing(fid, order === 'auto' ? null : order).catch((error: unknown) => {
      if (error instanceof GodwitError && OF_SERVERS_DISK.includes(error.code)) return null;
      throw error;
    });
  }

  async #ask(path: string): Promise<unknown> {
    const { daemon } = this.#running.client;
    const { fid } = await this.#files.look(path);
    const groups = daemon.suggestedGroups();
    const queue = await daemon.queue({ most: MOST_ASKED });
    const [fetches, use] = [daemon.fetches(MOST_ASKED), daemon.cache.use()];
    return [queue, fetches, use, daemon.sharing(fid), groups];
  }

  async #cache({ act, path }: Of<'cache'>): Promise<unknown> {
    const { daemon, status, volume } = this.#running.client;
    const name = status.volumes.find(({ id }) => id === volume)?.name ?? '';
    return daemon.cache.act(
      act,
      name,
      path
        .split('/')
        .slice(1)
        .filter((each) => each !== ''),
    );
  }

  /** If the least would be more than the most, the command is refused. */
  async #bound({ minimum, maximum, reserve, prefetch }: Of<'bounds'>): Promise<unknown> {
    const { daemon } = this.#running.client;
    const change = { minimum, maximum, reserve, prefetch };
    return daemon.cacheSettings(change).catch((error: unknown) => {
      if (error instanceof GodwitError && error.code === 'usage') return null;
      throw error;
    });
  }

  /** A list of the files before, as far as there is one, and this one. */
  async #joinGroup(path: string, list: string): Promise<unknown> {
    const { fid } = await this.#files.look(path);
    const before = (await this.#files.exists(list)) ? await this.#files.read(list) : '';
    const files = [...(parseGroup(before)?.files ?? []), fid];
    const text = formatGroup({ kind: 'chosen', files: [...new Set(files)] });
    const own = new TextDecoder().decode(contentOf(this.#running.number, 0));
    await this.#write(list, new TextEncoder().encode(`${text}# ${own}\n`));
    const group = await this.#files.look(list);
    const xattrs = [{ name: GROUP_XATTR, value: groupValue(group.fid) }];
    return this.#files.setattr(path, { xattrs });
  }

  async #naming(
    operation: Of<
      'rename' | 'exchange' | 'remove' | 'remove-tree' | 'mkdir' | 'rmdir' | 'link' | 'symlink'
    >,
  ): Promise<unknown> {
    const { path } = operation;
    switch (operation.do) {
      case 'rename':
        return this.#rename(path, operation.to);
      case 'exchange': {
        const third = `${path}.${this.#running.number}.swap`;
        await this.#files.rename(path, third);
        await this.#rename(operation.to, path);
        return this.#rename(third, operation.to);
      }
      case 'remove':
        return this.#remove(path);
      case 'remove-tree':
        return this.#removeTree(path);
      case 'mkdir':
        return this.#files.mkdir(path);
      case 'rmdir':
        return this.#files.rmdir(path);
      case 'link':
        return this.#files.link(path, operation.to);
      case 'symlink':
        return this.#files.symlink(path, operation.target);
    }
  }

  async #write(path: string, content: Uint8Array): Promise<void> {
    const opened = (over: Attributes): void => this.#saw(path, over, null);
    this.#wrote(path, await this.#files.write(path, content, { opened }));
  }

  async #edit(path: string, change: (before: Uint8Array) => Uint8Array): Promise<void> {
    const opened = (over: Attributes): void => this.#saw(path, over, null);
    this.#wrote(path, await this.#files.edit(path, change, { opened }));
  }

  async #saveLate({ path, ms }: Of<'late-save'>, content: Uint8Array): Promise<void> {
    const opened = (over: Attributes): void => this.#saw(path, over, null);
    const pause = (): Promise<void> => sleep(this.#running.client, ms);
    this.#wrote(path, await this.#files.saveLate(path, content, { opened, pause }));
  }

  async #read(path: string): Promise<void> {
    const { attributes, bytes } = await this.#files.opened(path);
    this.#saw(path, attributes, bytes);
  }

  async #readThrough({ path, by }: Of<'read-through'>): Promise<void> {
    const entries = await this.#files.list(path);
    const files = entries.filter(({ attributes }) => attributes.kind === 'file');
    files.sort((a, b) =>
      by === 'made'
        ? compareFids(a.attributes.fid, b.attributes.fid)
        : compareNaturally(a.name, b.name),
    );
    for (const { name } of files.slice(0, MOST_READ)) {
      await this.#read(path === '/' ? `/${name}` : `${path}/${name}`);
    }
  }

  async #hold({ path, ms }: Of<'hold'>): Promise<void> {
    const { first, last } = await this.#files.hold(path, (attributes, bytes) => {
      this.#saw(path, attributes, bytes);
      return sleep(this.#running.client, ms);
    });
    assert(Buffer.compare(first, last) === 0, 'what is open to read does not change', { path });
  }

  async #rename(from: string, to: string): Promise<void> {
    await Promise.all([this.#lookAt(to), this.#files.rename(from, to)]);
  }

  async #remove(path: string): Promise<void> {
    await Promise.all([this.#lookAt(path), this.#files.remove(path)]);
  }

  async #removeTree(path: string): Promise<void> {
    for (const { name, attributes } of await this.#files.list(path)) {
      if (attributes.kind === 'directory') await this.#removeTree(`${path}/${name}`);
      else await this.#remove(`${path}/${name}`);
    }
    await this.#files.rmdir(path);
  }

  /** What the operation beside it will end; told even where a crash hides how that one went. */
  async #lookAt(path: string): Promise<void> {
    try {
      this.#saw(path, await this.#files.look(path), null);
    } catch (error) {
      if (!(error instanceof GodwitError)) throw error;
    }
  }

  #saw(path: string, attributes: Attributes, bytes: Uint8Array | null): void {
    this.#hear({ kind: 'saw', running: this.#running, path, attributes, bytes });
  }

  #wrote(path: string, attributes: Attributes): void {
    this.#hear({ kind: 'wrote', running: this.#running, path, attributes });
  }
}

function xattrsOf(text: string): Xattr[] {
  return [{ name: 'user.tag', value: Buffer.from(text).toString('base64') }];
}

/** Until the time has passed for the laptop; for ever where its daemon ends before. */
function sleep(client: Laptop, ms: number): Promise<void> {
  return new Promise((resolve) => void client.daemon.timers.start(milliseconds(ms), resolve));
}
