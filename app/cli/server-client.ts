/** Asks a running server on this machine, by the socket in its data folder. */
import { join } from 'node:path';
import { request } from 'node:http';
import { SERVER_SOCKET, type ServerStatistics } from '../../shared/control/server-statistics.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';

const PATIENCE_MS = 10_000;

/** Rejects GodwitError `not-running`, `not-yours`, `try-again`. */
export function askServer(dataDir: string): Promise<ServerStatistics> {
  const socketPath = join(dataDir, SERVER_SOCKET);
  return new Promise((resolve, reject) => {
    const asked = request(
      { socketPath, path: '/v1/statistics', timeout: PATIENCE_MS, agent: false },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', () => reject(notRunning(dataDir)));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(statisticsIn(Buffer.concat(parts)));
          else reject(refusalOf(response.statusCode ?? 0, dataDir));
        });
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', ({ code }: NodeJS.ErrnoException) =>
      reject(code === 'EACCES' ? refusalOf(403, dataDir) : notRunning(dataDir)),
    );
    asked.end();
  });
}

/** The server of this machine wrote it. */
const statisticsIn = (body: Buffer): ServerStatistics =>
  JSON.parse(body.toString('utf8')) as ServerStatistics;

function refusalOf(status: number, dataDir: string): GodwitError {
  if (status === 403) {
    const remedy = 'say it as the user of the server, or as root';
    return new GodwitError('not-yours', `${dataDir}: its server answers another user`, remedy);
  }
  if (status === 503) return new GodwitError('try-again', 'the server is starting');
  return new GodwitError('internal', `the server answers ${status}`, 'see its log');
}

function notRunning(dataDir: string): GodwitError {
  const what = `no server that can be asked runs on ${dataDir}`;
  return new GodwitError(
    'not-running',
    what,
    'start it with `godwit server`, or give its folder with --data; its log says if it cannot be asked',
  );
}
