/** Carries out the calls of the page, as the control endpoint does those of its socket. */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { MAX_WAIT_MS } from '../../../shared/control/limits.ts';
import type { PageCommand } from '../../../shared/control/commands.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import { readCommand, statusAfter } from '../control/control-calls.ts';
import type { ControlServices } from '../control/control-services.ts';

/** More characters than any token has. */
const MOST_TOKEN_LENGTH = 200;

export const PAGE_SCHEMAS = {
  session: z.strictObject({ token: z.string().min(1).max(MOST_TOKEN_LENGTH) }),
  status: z.strictObject({
    revision: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
    waitMs: z.number().int().min(0).max(MAX_WAIT_MS),
  }),
} as const;

export interface PageCalls {
  status(asked: z.output<(typeof PAGE_SCHEMAS)['status']>): Promise<StatusSnapshot>;
  /** Its arguments are the body of the request, validated as those of the command. */
  command(name: PageCommand, request: IncomingMessage): Promise<unknown>;
}

/** `services` is asked at each call: the endpoint is there before all of the daemon is. */
export function pageCalls(services: () => ControlServices): PageCalls {
  return {
    status: ({ revision, waitMs }) => statusAfter(services(), revision, waitMs),
    async command(name, request) {
      return (await readCommand(services(), name, request)).result;
    },
  };
}
