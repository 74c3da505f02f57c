/** What arguments of commands and of file operations are made of. */
import { z } from 'zod';
import { isFid, type Fid } from '../model/fid.ts';
import { nameFault } from '../model/names.ts';

/** Names of a path that go along with a look-up of the first of them: as many as the server is asked for at once. */
export const MAX_ONWARDS = 64;

export const fid = z.custom<Fid>(isFid, 'not a fid');

/** Told as what it is, as the port tells it: a program may ask for any name. */
export const name = z.string().superRefine((text, context) => {
  const message = nameFault(text);
  if (message !== null) context.addIssue({ code: 'custom', message, params: { is: 'bad-name' } });
});

/** The name of one. */
export const volume = z.string().min(1).max(255);

/** Names from the root of a volume: more of them than any path has. */
export const path = z.array(name).max(4096);

/** Bytes, or bytes a second. */
export const amount = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
