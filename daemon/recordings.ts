/** How a daemon comes by what records: by a module that is named when it is started (`--recorder FILE`), and not by knowing one. */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { MakeRecordings, Recordings } from '../shared/ports/recordings.ts';
import { GodwitError } from '../shared/wire/error-codes.ts';

/** Of a daemon that was started without one. */
export const noRecordings: MakeRecordings = (): Recordings => {
  const why = 'the daemon was started without the laboratory, and records nothing';
  const refuse = (): never => {
    throw new GodwitError('no-laboratory', why);
  };
  return {
    begin: refuse,
    next: () => Promise.reject(new GodwitError('no-laboratory', why)),
    end: refuse,
    over: (fileSystem) => fileSystem,
    close: () => undefined,
  };
};

/** Rejects `usage` where the file has none in it. */
export async function recorderIn(file: string): Promise<MakeRecordings> {
  const refuse = (reason: string): never => {
    throw new GodwitError('usage', `--recorder ${file}: ${reason}`);
  };
  if (!existsSync(file)) return refuse('there is no such file');
  const { makeRecordings } = await import(pathToFileURL(file).href).then(
    (loaded: unknown) => loaded as { readonly makeRecordings?: unknown },
    () => refuse('it can not be loaded'),
  );
  if (typeof makeRecordings !== 'function') return refuse('it has no recorder in it');
  return makeRecordings as MakeRecordings;
}
