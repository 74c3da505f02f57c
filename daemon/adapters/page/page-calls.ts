/** Carries out the calls of the page, as the control endpoint does those of its socket. */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { isPageCommand, type PageCommand } from '../../../shared/control/commands.ts';
import { MAX_WAIT_MS } from '../../../shared/control/limits.ts';
import { readArguments } from '../../../shared/control/read-body.ts';
import type { StatusSnapshot } from '../../../shared/control/snapshot.ts';
import type { PageCalls } from '../../../shared/page/page-endpoint.ts';
import { readCommand, statusAfter } from '../control/control-calls.ts';
import type { ControlServices } from '../control/control-services.ts';

const STATUS = z.strictObject({
  revision: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
  waitMs: z.number().int().min(0).max(MAX_WAIT_MS),
});

const COMMAND = '/v1/command/';

/**
 * The calls of the page that a daemon serves: `POST /v1/status {"revision", "waitMs"}` and
 * `POST /v1/command/NAME`, as on the control socket, for the commands of a page. `services` is asked at each call: the endpoint is there
 * before all of the daemon is.
 */
export function pageCalls(services: () => ControlServices): PageCalls {
  const status = async (request: IncomingMessage): Promise<StatusSnapshot> => {
    const { revision, waitMs } = await readArguments(request, STATUS);
    return statusAfter(services(), revision, waitMs);
  };
  const command = async (name: PageCommand, request: IncomingMessage): Promise<unknown> =>
    (await readCommand(services(), name, request)).result;
  return {
    call(path, request) {
      if (path === '/v1/status') return status(request);
      const name = path.startsWith(COMMAND) ? path.slice(COMMAND.length) : null;
      return isPageCommand(name) ? command(name, request) : null;
    },
  };
}
