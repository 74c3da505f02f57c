/** Changes a fake volume as another device would: each call is committed at once, or fails. */
import type { Fid } from '../../shared/model/fid.ts';
import { dataVersion, mtimeFromMs, type Mtime, type Xattr } from '../../shared/model/vnode.ts';
import { THEIRS } from './fake-queue.ts';
import type { FakeVolume } from './fake-volume.ts';

/** The calls of the other device. */
export class OtherDevice {
  readonly #volume: FakeVolume;

  constructor(volume: FakeVolume) {
    this.#volume = volume;
  }

  async write(path: string, text: string | Buffer, attributes: { mode?: number } = {}) {
    const digest = await this.#volume.keep(Buffer.from(text));
    const at = mtimeFromMs(Date.now());
    const fid = this.#volume.server.find(path) ?? this.make(path, attributes.mode);
    const base = this.#volume.server.get(fid)?.version ?? dataVersion(0);
    const size = Buffer.byteLength(text);
    this.#volume.remote({ op: 'store', fid, base, size, digest, mtime: at });
    return fid;
  }

  /** A file that has no contents yet. */
  make(path: string, mode = 0o644): Fid {
    const at = mtimeFromMs(Date.now());
    const fid = this.#volume.takeFid(THEIRS);
    const place = this.#volume.place(path);
    this.#volume.remote({ op: 'create', fid, ...place, mode, mtime: at, xattrs: [], at });
    return fid;
  }

  mkdir(path: string, mode = 0o755): void {
    const at = mtimeFromMs(Date.now());
    const fid = this.#volume.takeFid(THEIRS);
    this.#volume.remote({
      op: 'mkdir',
      fid,
      ...this.#volume.place(path),
      mode,
      mtime: at,
      xattrs: [],
      at,
    });
  }

  symlink(path: string, target: string): void {
    const at = mtimeFromMs(Date.now());
    this.#volume.remote({
      op: 'symlink',
      fid: this.#volume.takeFid(THEIRS),
      ...this.#volume.place(path),
      target,
      mtime: at,
      at,
    });
  }

  remove(path: string): void {
    const { fid, kind, version: base } = this.#volume.status(path);
    const at = mtimeFromMs(Date.now());
    if (kind === 'directory')
      this.#volume.remote({ op: 'rmdir', fid, ...this.#volume.place(path), at });
    else this.#volume.remote({ op: 'remove', fid, ...this.#volume.place(path), base, at });
  }

  rename(from: string, to: string): void {
    const { fid } = this.#volume.status(from);
    const over = this.#volume.server.find(to);
    const base = over === null ? null : this.#volume.server.get(over);
    const [source, target] = [this.#volume.place(from), this.#volume.place(to)];
    this.#volume.remote({
      ...{ op: 'rename', fid, fromDir: source.dir, fromName: source.name },
      ...{ toDir: target.dir, toName: target.name, at: mtimeFromMs(Date.now()) },
      over: base === null ? null : { fid: base.fid, base: base.version },
    });
  }

  link(path: string, name: string): void {
    const at = mtimeFromMs(Date.now());
    this.#volume.remote({
      op: 'link',
      fid: this.#volume.status(path).fid,
      ...this.#volume.place(name),
      at,
    });
  }

  setattr(path: string, change: { mode?: number; mtime?: Mtime; xattrs?: Xattr[] }): void {
    const { mode = null, mtime = null, xattrs = null } = change;
    this.#volume.remote({ op: 'setattr', fid: this.#volume.status(path).fid, mode, mtime, xattrs });
  }
}
