/** What programs do on the disks of this machine, for the suite of the Disk port. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { kindOf } from '../../daemon/adapters/folder/disk/disk-facts.ts';
import type { Arrange, Seen } from '../conformance/disk-harness.ts';
import { beOrdinary } from './ordinary-user.ts';

export const realPrograms: Arrange = {
  write: (path, contents) => writeFileSync(path, contents),
  append: (path, contents) => appendFileSync(path, contents),
  read: (path) => readFileSync(path, 'utf8'),
  resize: (path, size) => truncateSync(path, size),
  mkdir: (path) => void mkdirSync(path),
  symlink: (target, path) => symlinkSync(bytesOf(target), path),
  link: (file, path) => linkSync(file, path),
  fifo: (path) => spawnSync('mkfifo', [path], { stdio: 'ignore' }).status === 0,
  writeBytesName(dir, name) {
    try {
      writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), name]), '');
      return true;
    } catch {
      return false;
    }
  },
  setBytesXattr,
  rename: (from, to) => renameSync(from, to),
  unlink: (path) => unlinkSync(path),
  rmdir: (path) => rmdirSync(path),
  chmod: (path, mode) => chmodSync(path, mode),
  chown(path, uid, gid) {
    if (process.getuid?.() !== 0) return false;
    chownSync(path, uid, gid);
    return true;
  },
  touch: (path, time) => lutimesSync(path, Number(time / NS), Number(time / NS)),
  names: (dir) => readdirSync(dir),
  look,
  openToWrite(path) {
    const opened = openSync(path, 'a');
    return () => closeSync(opened);
  },
  beOrdinary,
  asksAsOrdinary: process.getuid?.() !== 0,
  umask: process.umask(),
};

/** By a program: Node gives programs texts as arguments, so a shell makes the bytes. False: the disk refuses it, or `setfattr` (attr) is missing. */
export function setBytesXattr(path: string, name: Uint8Array, value: string): boolean {
  const octal = [...name].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('');
  const script = 'exec setfattr -n "user.$(printf %b "$1")" -v "$2" "$3"';
  return spawnSync('sh', ['-c', script, 'sh', octal, value, path]).status === 0;
}

const NS = 1_000_000_000n;

const bytesOf = (text: string | Uint8Array): string | Buffer =>
  typeof text === 'string' ? text : Buffer.from(text);

function look(path: string): Seen | null {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return null;
  const { ino: inode, mtimeNs, atimeNs } = stats;
  return {
    ...{ kind: kindOf(stats), inode, mtimeNs, atimeNs },
    mode: Number(stats.mode) & 0o7777,
    links: Number(stats.nlink),
    size: Number(stats.size),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    room: Number(stats.blocks) * 512,
  };
}
