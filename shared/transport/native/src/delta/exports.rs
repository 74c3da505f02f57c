//! The Delta port as JavaScript sees it. `shared/transport/binding.ts` has the types; what works on files runs off its thread.

use napi::bindgen_prelude::{AsyncTask, Env, Result, Task, Uint8Array};
use napi_derive::napi;

use super::apply::apply;
use super::failure::{Failure, Outcome};
use super::files::Piece;
use super::join::join;
use super::list::list_of;
use super::make::make;
use crate::host::copy::Digest;
use crate::host::exports::NativeDigest;

fn piece(path: String, offset: f64, length: f64) -> Piece {
    Piece { path, offset: offset as u64, length: length as u64 }
}

fn answer(outcome: Outcome<Digest>) -> NativeDigest {
    match outcome {
        Ok(Digest { digest, length }) => {
            NativeDigest { digest, length: length as f64, code: None, message: String::new() }
        }
        Err(failure) => {
            let (code, message) = failure.describe();
            NativeDigest { digest: String::new(), length: 0.0, code: Some(code), message }
        }
    }
}

/// A chunk list and, where one was made, a delta; or a code with a message.
#[napi(object)]
pub struct NativeMade {
    pub list: Uint8Array,
    pub delta: Option<NativeDigest>,
    pub code: Option<String>,
    pub message: String,
}

/// What a task gives, before it is JavaScript's: `Ok` is the list, and the delta if there is one.
type Listed = Outcome<(Vec<u8>, Option<Digest>)>;

fn listed(outcome: Listed) -> NativeMade {
    let failed = |failure: Failure| {
        let (code, message) = failure.describe();
        NativeMade { list: Vec::new().into(), delta: None, code: Some(code), message }
    };
    outcome.map_or_else(failed, |(list, delta)| NativeMade {
        list: list.into(),
        delta: delta.map(|digest| answer(Ok(digest))),
        code: None,
        message: String::new(),
    })
}

pub struct MakeList {
    contents: Piece,
    like: Option<Vec<u8>>,
}

impl Task for MakeList {
    type Output = Listed;
    type JsValue = NativeMade;

    fn compute(&mut self) -> Result<Listed> {
        Ok(list_of(&self.contents, self.like.as_deref()).map(|list| (list.encode(), None)))
    }

    fn resolve(&mut self, _env: Env, output: Listed) -> Result<NativeMade> {
        Ok(listed(output))
    }
}

#[napi(ts_return_type = "Promise<NativeMade>")]
pub fn delta_list(path: String, offset: f64, length: f64, like: Option<&[u8]>) -> AsyncTask<MakeList> {
    AsyncTask::new(MakeList { contents: piece(path, offset, length), like: like.map(<[u8]>::to_vec) })
}

pub struct MakeDelta {
    base: Vec<u8>,
    contents: Piece,
    out: String,
}

impl Task for MakeDelta {
    type Output = Listed;
    type JsValue = NativeMade;

    fn compute(&mut self) -> Result<Listed> {
        Ok(make(&self.base, &self.contents, &self.out).map(|made| (made.list.encode(), made.delta)))
    }

    fn resolve(&mut self, _env: Env, output: Listed) -> Result<NativeMade> {
        Ok(listed(output))
    }
}

#[napi(ts_return_type = "Promise<NativeMade>")]
pub fn delta_make(base: &[u8], path: String, offset: f64, length: f64, out: String) -> AsyncTask<MakeDelta> {
    AsyncTask::new(MakeDelta { base: base.to_vec(), contents: piece(path, offset, length), out })
}

pub struct ApplyDelta {
    base: Piece,
    delta: String,
    out: String,
    most: u64,
}

impl Task for ApplyDelta {
    type Output = NativeDigest;
    type JsValue = NativeDigest;

    fn compute(&mut self) -> Result<NativeDigest> {
        Ok(answer(apply(&self.base, &self.delta, &self.out, self.most)))
    }

    fn resolve(&mut self, _env: Env, output: NativeDigest) -> Result<NativeDigest> {
        Ok(output)
    }
}

#[napi(ts_return_type = "Promise<NativeDigest>")]
pub fn delta_apply(
    path: String,
    offset: f64,
    length: f64,
    delta: String,
    out: String,
    most: f64,
) -> AsyncTask<ApplyDelta> {
    AsyncTask::new(ApplyDelta { base: piece(path, offset, length), delta, out, most: most as u64 })
}

pub struct JoinFiles {
    begun: String,
    rest: String,
}

impl Task for JoinFiles {
    type Output = NativeDigest;
    type JsValue = NativeDigest;

    fn compute(&mut self) -> Result<NativeDigest> {
        Ok(answer(join(&self.begun, &self.rest)))
    }

    fn resolve(&mut self, _env: Env, output: NativeDigest) -> Result<NativeDigest> {
        Ok(output)
    }
}

#[napi(ts_return_type = "Promise<NativeDigest>")]
pub fn delta_join(begun: String, rest: String) -> AsyncTask<JoinFiles> {
    AsyncTask::new(JoinFiles { begun, rest })
}
