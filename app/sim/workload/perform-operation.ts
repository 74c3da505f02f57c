/** Carries out one operation of a plan on a laptop, and lets be seen what the program saw. */
import { GodwitError } from '../../../shared/wire/error-codes.ts';
import type { ErrorCode } from '../../../shared/wire/error-codes.ts';
import type { Hear, Running } from '../check/observation.ts';
import type { UserFiles } from '../cluster/user-files.ts';
import { contentOf } from '../plan/operation.ts';

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
];

/** Says how it went, for the trace. Throws what no program should meet. */
export async function perform(running: Running, files: UserFiles, hear: Hear): Promise<string> {
  hear({ kind: 'began', running });
  try {
    await carryOut(running, files, hear);
    hear({ kind: 'done', running });
    return 'done';
  } catch (error) {
    if (!(error instanceof GodwitError) || !HARMLESS.includes(error.code)) throw error;
    hear({ kind: 'refused', running, code: error.code });
    return error.code;
  }
}

async function carryOut(running: Running, files: UserFiles, hear: Hear): Promise<unknown> {
  const { operation, number } = running;
  const { path } = operation;
  switch (operation.do) {
    case 'write':
      return write(running, files, hear, { path, bytes: operation.bytes });
    case 'safe-save': {
      const beside = `${path}.${number}.tmp`;
      await write(running, files, hear, { path: beside, bytes: operation.bytes });
      await lookAt(running, files, hear, path);
      return files.rename(beside, path);
    }
    case 'read': {
      const { attributes, bytes } = await files.opened(path);
      return hear({ kind: 'saw', running, path, attributes, bytes });
    }
    case 'list':
      return hear({ kind: 'listed', running, path, entries: await files.list(path) });
    case 'rename':
      return Promise.all([
        lookAt(running, files, hear, operation.to),
        files.rename(path, operation.to),
      ]);
    case 'remove':
      return Promise.all([lookAt(running, files, hear, path), files.remove(path)]);
    case 'mkdir':
      return files.mkdir(path);
    case 'rmdir':
      return files.rmdir(path);
    case 'link':
      return files.link(path, operation.to);
    case 'chmod':
      return files.chmod(path, operation.mode);
    case 'symlink':
      return files.symlink(path, operation.target);
  }
}

async function write(
  running: Running,
  files: UserFiles,
  hear: Hear,
  { path, bytes }: { readonly path: string; readonly bytes: number },
): Promise<void> {
  const content = contentOf(running.number, bytes);
  const attributes = await files.write(path, content, {
    opened: (over) => hear({ kind: 'saw', running, path, attributes: over, bytes: null }),
  });
  hear({ kind: 'wrote', running, path, attributes });
}

/** What the operation beside it will end; told even where a crash hides how that one went. */
async function lookAt(running: Running, files: UserFiles, hear: Hear, path: string): Promise<void> {
  try {
    hear({ kind: 'saw', running, path, attributes: await files.look(path), bytes: null });
  } catch (error) {
    if (!(error instanceof GodwitError)) throw error;
  }
}
