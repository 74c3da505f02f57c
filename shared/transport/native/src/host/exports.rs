//! The host calls as JavaScript sees them. `shared/transport/binding.ts` has their types.

use napi::bindgen_prelude::{AsyncTask, BigInt, Env, Object, Result, Task, Uint8Array};
use napi_derive::napi;

use std::io;

use super::beneath::{Kind, open_beneath};
use super::copy::{Digest, copy_file, digest_file, digest_part, join_files, read_parts};
use super::error::{Code, describe, fail, of_errno};
use super::files::{self, Rename};
use super::{inode, unsynced, xattr};
use crate::io_pool;

#[napi]
pub fn host_boot_time_ms() -> f64 {
    files::boot_time_ms()
}

#[napi]
pub fn host_set_mtime(path: String, nanoseconds: BigInt) -> Result<(), Code> {
    let (value, exact) = nanoseconds.get_i64();
    let result = if exact { files::set_mtime(&path, value) } else { Err(of_errno(libc::EINVAL)) };
    result.map_err(|error| fail(&error, "utimensat", &path))
}

#[napi]
pub fn host_set_mode(path: String, mode: u32) -> Result<(), Code> {
    inode::set_mode(&path, mode).map_err(|error| fail(&error, "chmod", &path))
}

/// Names what could not be kept.
#[napi]
pub fn host_keep_unsynced(from: String, to: String) -> Result<Vec<String>, Code> {
    unsynced::keep(&from, &to).map_err(|error| fail(&error, "stat", &format!("{from}' -> '{to}")))
}

#[napi]
pub fn host_inherit(directory: String, file: String) -> Result<(), Code> {
    unsynced::inherit(&directory, &file).map_err(|error| fail(&error, "stat", &format!("{directory}' -> '{file}")))
}

#[napi]
pub fn host_rename_no_replace(from: String, to: String) -> Result<(), Code> {
    let result = files::rename(&from, &to, Rename::NoReplace);
    result.map_err(|error| fail(&error, "rename", &format!("{from}' -> '{to}")))
}

#[napi]
pub fn host_rename_exchange(a: String, b: String) -> Result<(), Code> {
    let result = files::rename(&a, &b, Rename::Exchange);
    result.map_err(|error| fail(&error, "rename", &format!("{a}' <-> '{b}")))
}

#[napi]
pub fn host_reflink(from: String, to: String) -> Result<(), Code> {
    files::reflink(&from, &to).map_err(|error| fail(&error, "reflink", &format!("{from}' -> '{to}")))
}

/// A descriptor; the caller closes it.
#[napi]
pub fn host_open_beneath(root: String, path: String, directory: bool) -> Result<i32, Code> {
    let kind = if directory { Kind::Directory } else { Kind::File };
    open_beneath(&root, &path, kind).map_err(|error| fail(&error, "openat2", &format!("{root}/{path}")))
}

#[napi(object)]
pub struct NativeXattr {
    pub name: String,
    pub value: Uint8Array,
    pub is_text: bool,
}

#[napi]
pub fn host_list_xattrs(path: String) -> Result<Vec<NativeXattr>, Code> {
    let attributes = xattr::list(&path).map_err(|error| fail(&error, "listxattr", &path))?;
    let native =
        |xattr::Xattr { name, value, is_text }: xattr::Xattr| NativeXattr { name, value: value.into(), is_text };
    Ok(attributes.into_iter().map(native).collect())
}

#[napi]
pub fn host_set_xattr(path: String, name: String, value: &[u8]) -> Result<(), Code> {
    xattr::set(&path, &name, value).map_err(|error| fail(&error, "setxattr", &path))
}

#[napi]
pub fn host_remove_xattr(path: String, name: String) -> Result<(), Code> {
    xattr::remove(&path, &name).map_err(|error| fail(&error, "removexattr", &path))
}

#[napi(object)]
pub struct NativeCredentials {
    pub pid: i32,
    pub uid: u32,
    pub gid: u32,
}

#[napi]
pub fn host_peer_credentials(fd: i32) -> Result<NativeCredentials, Code> {
    let peer = files::peer_credentials(fd).map_err(|error| fail(&error, "getsockopt", &format!("fd {fd}")))?;
    Ok(NativeCredentials { pid: peer.pid, uid: peer.uid, gid: peer.gid })
}

/// A descriptor that holds the lock, or -1 if another process does.
#[napi]
pub fn host_lock_file(path: String) -> Result<i32, Code> {
    let lock = files::lock_file(&path).map_err(|error| fail(&error, "flock", &path))?;
    Ok(lock.unwrap_or(-1))
}

#[napi]
pub fn host_unlock_file(fd: i32) -> Result<(), Code> {
    files::unlock_file(fd).map_err(|error| fail(&error, "close", &format!("fd {fd}")))
}

/// Null: unknown.
#[napi]
pub fn host_is_being_written(path: String) -> Result<Option<bool>, Code> {
    files::is_being_written(&path).map_err(|error| fail(&error, "open", &path))
}

#[napi]
pub fn host_sync_directory(path: String) -> Result<(), Code> {
    files::sync_directory(&path).map_err(|error| fail(&error, "fsync", &path))
}

/// Either a digest, or an errno's name with a message.
#[napi(object)]
pub struct NativeDigest {
    pub digest: String,
    pub length: f64,
    pub code: Option<String>,
    pub message: String,
}

fn answer(result: io::Result<Digest>, call: &str, path: &str) -> NativeDigest {
    match result {
        Ok(Digest { digest, length }) => {
            NativeDigest { digest, length: length as f64, code: None, message: String::new() }
        }
        Err(error) => {
            let (code, message) = describe(&error, call, path);
            NativeDigest { digest: String::new(), length: 0.0, code: Some(code), message }
        }
    }
}

pub struct SyncPath(String);

impl Task for SyncPath {
    type Output = NativeDigest;
    type JsValue = NativeDigest;

    fn compute(&mut self) -> Result<NativeDigest> {
        let synced = files::sync_path(&self.0).map(|length| Digest { digest: String::new(), length });
        Ok(answer(synced, "fsync", &self.0))
    }

    fn resolve(&mut self, _env: Env, output: NativeDigest) -> Result<NativeDigest> {
        Ok(output)
    }
}

/// The digest is empty.
#[napi]
pub fn host_sync_path(path: String) -> AsyncTask<SyncPath> {
    AsyncTask::new(SyncPath(path))
}

/// On a thread of its own: it must not stand behind long copies. Resolves with an empty digest, or an errno's name.
#[napi(ts_return_type = "Promise<NativeDigest>")]
pub fn host_sync_data(env: &Env, fd: i32) -> Result<Object<'_>> {
    let (deferred, promise) = env.create_deferred()?;
    io_pool::apart(move || {
        let synced = files::sync_data(fd).map(|()| Digest { digest: String::new(), length: 0 });
        let told = answer(synced, "fdatasync", &format!("fd {fd}"));
        deferred.resolve(move |_| Ok(told));
    });
    Ok(promise)
}

pub struct SyncPaths(Vec<String>);

impl Task for SyncPaths {
    type Output = Vec<NativeDigest>;
    type JsValue = Vec<NativeDigest>;

    fn compute(&mut self) -> Result<Vec<NativeDigest>> {
        let synced = files::sync_paths(&self.0).into_iter().zip(&self.0);
        Ok(synced
            .map(|(length, path)| answer(length.map(|length| Digest { digest: String::new(), length }), "fsync", path))
            .collect())
    }

    fn resolve(&mut self, _env: Env, output: Vec<NativeDigest>) -> Result<Vec<NativeDigest>> {
        Ok(output)
    }
}

/// The digests are empty.
#[napi]
pub fn host_sync_paths(paths: Vec<String>) -> AsyncTask<SyncPaths> {
    AsyncTask::new(SyncPaths(paths))
}

pub struct DigestFile(String);

impl Task for DigestFile {
    type Output = NativeDigest;
    type JsValue = NativeDigest;

    fn compute(&mut self) -> Result<NativeDigest> {
        Ok(answer(digest_file(&self.0), "read", &self.0))
    }

    fn resolve(&mut self, _env: Env, output: NativeDigest) -> Result<NativeDigest> {
        Ok(output)
    }
}

#[napi]
pub fn host_digest_file(path: String) -> AsyncTask<DigestFile> {
    AsyncTask::new(DigestFile(path))
}

pub struct DigestPart {
    path: String,
    offset: u64,
    length: u64,
}

impl Task for DigestPart {
    type Output = NativeDigest;
    type JsValue = NativeDigest;

    fn compute(&mut self) -> Result<NativeDigest> {
        Ok(answer(digest_part(&self.path, self.offset, self.length), "read", &self.path))
    }

    fn resolve(&mut self, _env: Env, output: NativeDigest) -> Result<NativeDigest> {
        Ok(output)
    }
}

#[napi]
pub fn host_digest_part(path: String, offset: f64, length: f64) -> AsyncTask<DigestPart> {
    AsyncTask::new(DigestPart { path, offset: offset as u64, length: length as u64 })
}

pub struct CopyFile {
    from: String,
    to: String,
    sync: bool,
    spare: bool,
}

impl Task for CopyFile {
    type Output = NativeDigest;
    type JsValue = NativeDigest;

    fn compute(&mut self) -> Result<NativeDigest> {
        let path = format!("{}' -> '{}", self.from, self.to);
        Ok(answer(copy_file(&self.from, &self.to, self.sync, self.spare), "copyfile", &path))
    }

    fn resolve(&mut self, _env: Env, output: NativeDigest) -> Result<NativeDigest> {
        Ok(output)
    }
}

#[napi]
pub fn host_copy_file(from: String, to: String, sync: bool, spare: bool) -> AsyncTask<CopyFile> {
    AsyncTask::new(CopyFile { from, to, sync, spare })
}

pub struct JoinFiles {
    from: Vec<String>,
    lengths: Vec<u64>,
    to: String,
}

impl Task for JoinFiles {
    type Output = NativeDigest;
    type JsValue = NativeDigest;

    fn compute(&mut self) -> Result<NativeDigest> {
        let joined = join_files(&self.from, &self.lengths, &self.to);
        Ok(answer(joined.map(|length| Digest { digest: String::new(), length }), "join", &self.to))
    }

    fn resolve(&mut self, _env: Env, output: NativeDigest) -> Result<NativeDigest> {
        Ok(output)
    }
}

/// The digest is empty.
#[napi]
pub fn host_join_files(from: Vec<String>, lengths: Vec<f64>, to: String) -> AsyncTask<JoinFiles> {
    AsyncTask::new(JoinFiles { from, lengths: whole(&lengths), to })
}

fn whole(lengths: &[f64]) -> Vec<u64> {
    lengths.iter().map(|length| *length as u64).collect()
}

/// Either the parts, or an errno's name with a message.
#[napi(object)]
pub struct NativeParts {
    pub bytes: Uint8Array,
    pub digests: Vec<String>,
    pub code: Option<String>,
    pub message: String,
}

pub struct ReadParts {
    path: String,
    lengths: Vec<u64>,
}

impl Task for ReadParts {
    type Output = NativeParts;
    type JsValue = NativeParts;

    fn compute(&mut self) -> Result<NativeParts> {
        Ok(match read_parts(&self.path, &self.lengths) {
            Ok(parts) => {
                NativeParts { bytes: parts.bytes.into(), digests: parts.digests, code: None, message: String::new() }
            }
            Err(error) => {
                let (code, message) = describe(&error, "read", &self.path);
                NativeParts { bytes: Uint8Array::new(Vec::new()), digests: Vec::new(), code: Some(code), message }
            }
        })
    }

    fn resolve(&mut self, _env: Env, output: NativeParts) -> Result<NativeParts> {
        Ok(output)
    }
}

#[napi]
pub fn host_read_parts(path: String, lengths: Vec<f64>) -> AsyncTask<ReadParts> {
    AsyncTask::new(ReadParts { path, lengths: whole(&lengths) })
}
