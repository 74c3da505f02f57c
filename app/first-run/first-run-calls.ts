/** What the page of a first run may ask: each call is `POST /v1/first-run/NAME`, or `POST /v1/status` for the daemon, null before it runs. */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { ControlClient } from '../../shared/control/client.ts';
import { MAX_WAIT_MS } from '../../shared/control/limits.ts';
import { readArguments } from '../../shared/control/read-body.ts';
import type { PageCalls } from '../../shared/page/page-endpoint.ts';
import { GodwitError, type ErrorCode } from '../../shared/wire/error-codes.ts';
import { MOST_TEXT } from './first-run-limits.ts';
import { hasLoginEntry, removeLoginEntry, writeLoginEntry } from './login-entry.ts';
import { OwnServer } from './own-server.ts';
import type { PageLife } from './page-life.ts';
import type { Program } from './run-command.ts';
import { errorOf, isNew, pair, serveAndJoin, usualFolder } from './set-up.ts';

const TEXT = z.string().max(MOST_TEXT);
const NOTHING = z.strictObject({});
const STATUS = z.strictObject({
  revision: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
  waitMs: z.number().int().min(0).max(MAX_WAIT_MS),
});

export interface FirstRunParts {
  readonly program: Program;
  /** The command that runs at login where a person wants that. */
  readonly atLogin: readonly string[];
  readonly life: PageLife;
}

type Call = (request: IncomingMessage) => Promise<unknown>;

/** Makes the calls of the page. They reject GodwitError, also for what a command has refused. */
export function firstRunCalls({ program, atLogin, life }: FirstRunParts): PageCalls {
  const server = new OwnServer(program);
  const { data } = program;
  /** Something that a person has asked for, with its arguments. */
  const act =
    <S extends z.ZodType>(schema: S, work: (asked: z.output<S>) => unknown): Call =>
    (request) =>
      life.act(async () => work(await readArguments(request, schema)));
  const calls: Readonly<Record<string, Call>> = {
    '/v1/status': async (request) => {
      const { revision, waitMs } = await readArguments(request, STATUS);
      life.isThere();
      return ofDaemon(data, (client) =>
        revision === null ? client.status() : client.statusAfter(revision, waitMs),
      ).catch(nullWhereNoneRuns);
    },
    '/v1/first-run/stay': (request) => stay(life, request),
    '/v1/first-run/is-new': async (request) => {
      await readArguments(request, NOTHING);
      life.isThere();
      return isNew(data);
    },
    '/v1/first-run/usual-folder': act(NOTHING, usualFolder),
    '/v1/first-run/join': act(
      z.strictObject({ invitation: TEXT, folder: TEXT, name: TEXT }),
      ({ invitation, folder, name }) => pair(program, invitation, folder, name),
    ),
    '/v1/first-run/serve': act(z.strictObject({ folder: TEXT, name: TEXT }), ({ folder, name }) =>
      serveAndJoin(program, server, folder, name),
    ),
    '/v1/first-run/open': act(NOTHING, () =>
      ofDaemon(data, (client) => client.command('open', { path: [], reveal: false })),
    ),
    '/v1/first-run/autostart': act(z.strictObject({ set: z.boolean().nullable() }), ({ set }) => {
      if (set === true) writeLoginEntry(atLogin);
      if (set === false) removeLoginEntry();
      return hasLoginEntry();
    }),
    '/v1/first-run/finish': act(NOTHING, async () => {
      const { url } = await ofDaemon(data, (client) => client.command('ui', {}));
      life.leaves();
      return { url };
    }),
  };
  return {
    about: { firstRun: true },
    call(path, request) {
      const call = Object.hasOwn(calls, path) ? calls[path] : undefined;
      return call === undefined ? null : withCode(call(request));
    },
  };
}

/** Held until the page goes, or for as long as a request is held; the page then asks again. */
async function stay(life: PageLife, request: IncomingMessage): Promise<void> {
  await readArguments(request, NOTHING);
  const { socket } = request;
  life.holds();
  const isGone = await new Promise<boolean>((resolve) => {
    const gone = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      socket.off('close', gone);
      resolve(false);
    }, MAX_WAIT_MS);
    socket.once('close', gone);
    if (socket.destroyed) gone();
  });
  life.released(isGone);
}

/** Asks the daemon that this set-up has started. It rejects `not-running` before. */
async function ofDaemon<T>(data: string, ask: (client: ControlClient) => Promise<T>): Promise<T> {
  const client = ControlClient.of(data);
  try {
    return await ask(client);
  } finally {
    client.close();
  }
}

/** There is none before the device is paired, which is no fault of the page that asks. */
function nullWhereNoneRuns(error: unknown): null {
  if (error instanceof GodwitError && error.code === 'not-running') return null;
  throw error;
}

/** What a command has refused goes to the page as it was said. */
async function withCode(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GodwitError) throw error;
    const { code, message, remedy } = errorOf(error);
    throw new GodwitError(code as ErrorCode, message, remedy);
  }
}
