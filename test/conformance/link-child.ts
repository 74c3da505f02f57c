/**
 * A process that ends while its connection lives, for link-msquic.test.ts.
 * Arguments: how it ends, port, pin, spool folder.
 */
import { generateIdentity } from '../../shared/transport/identity.ts';
import { MsquicTransport } from '../../shared/transport/msquic-transport.ts';

const [how, port, pin, spool] = process.argv.slice(2) as [string, string, string, string];
const ignore = (): void => undefined;

/** Keeps the process alive until the reply is here; a link doesn't. */
const alive = setInterval(ignore, 2 ** 30);

const link = new MsquicTransport({
  identity: generateIdentity('child'),
  spool,
  maxHeaderBytes: 4096,
  handler: {
    connected: ignore,
    closed: ignore,
    incoming: ignore,
    content: ignore,
    partial: ignore,
    sent: ignore,
    aborted: ignore,
    progress: ignore,
    statistics: ignore,
    unread: ignore,
    reply: () => {
      process.stdout.write('replied\n', () => {
        clearInterval(alive);
        if (how === 'exits') process.exit(0);
        if (how === 'throws') throw new Error('on purpose');
      });
    },
  },
});
const connection = link.connect({ host: '127.0.0.1', port: Number(port), pin });
link.request(connection, {
  priorityClass: 'VALIDATE',
  header: new TextEncoder().encode('hello'),
  content: null,
});
