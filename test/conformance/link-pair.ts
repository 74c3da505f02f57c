/** What the tests of the Link port share: two endpoints, a connection between them, and ways to send and answer. */
import type { PriorityClass } from '../../shared/model/priority-class.ts';
import type { CallId, ConnectionId } from '../../shared/ports/transport.ts';
import { TransportLog, watched } from './transport-harness.ts';
import type { EndpointSettings, TransportHarness, TestEndpoint } from './transport-harness.ts';

export const HEADER_LIMIT = 4096;
/** More than any link collects in memory, and less than takes long. */
export const MEDIUM = 300_000;

export interface Peer extends TestEndpoint {
  readonly log: TransportLog;
}

export interface Pair {
  readonly client: Peer;
  readonly server: Peer;
  readonly at: { host: string; port: number };
  /** The connection as the client names it, and as the server does. */
  readonly connection: ConnectionId;
  readonly inbound: ConnectionId;
}

/** The harness of the running test. */
export let harness: TransportHarness;

export function useHarness(next: TransportHarness): void {
  harness = next;
}

export function peer(settings?: EndpointSettings): Peer {
  const log = new TransportLog();
  const endpoint = harness.endpoint(log, { maxHeaderBytes: HEADER_LIMIT, ...settings });
  const { identity, host } = endpoint;
  return {
    log,
    identity,
    host,
    link: watched(endpoint.link, log),
    writeFile: (name, bytes) => endpoint.writeFile(name, bytes),
    readFile: (path) => endpoint.readFile(path),
    spooled: () => endpoint.spooled(),
  };
}

export function listen(server: Peer, port = 0): Promise<{ host: string; port: number }> {
  return harness.settled(server.link.listen({ host: server.host, port }));
}

export async function connectPair(
  settings: { client?: EndpointSettings; server?: EndpointSettings } = {},
): Promise<Pair> {
  const [client, server] = [peer(settings.client), peer(settings.server)];
  const at = await listen(server);
  const pin = server.identity.fingerprint;
  const connection = client.link.connect({ ...at, pin });
  await harness.until(
    () => server.log.has('connected') && client.log.has('connected'),
    'the connection',
  );
  const inbound = server.log.all('connected')[0]?.connection ?? NaN;
  return { client, server, at, connection, inbound };
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Bytes that differ from place to place and from seed to seed. */
export function pattern(length: number, seed = 1): Uint8Array {
  const content = new Uint8Array(length);
  for (let i = 0; i < length; i++) content[i] = (i * 31 + (i >>> 8) * 7 + seed) & 0xff;
  return content;
}

interface Sending {
  readonly priorityClass?: PriorityClass;
  readonly content?: Uint8Array;
}

export function send(
  from: Peer,
  connection: ConnectionId,
  text: string,
  options: Sending = {},
): CallId {
  const { priorityClass = 'FETCH', content } = options;
  const source =
    content === undefined
      ? null
      : { path: from.writeFile(text, content), offset: 0, length: content.length };
  return from.link.request(connection, { priorityClass, header: bytes(text), content: source });
}

/** Answers each complete request with its own header and contents. */
export function echo(server: Peer): void {
  const headers = new Map<CallId, string>();
  server.log.onIncoming = ({ call, text, contentLength }) => {
    headers.set(call, text);
    if (contentLength === 0) server.link.reply(call, { header: bytes(text), content: null });
  };
  server.log.onContent = ({ call, content }) => {
    const source = { path: content.path, offset: 0, length: content.length };
    server.link.reply(call, { header: bytes(headers.get(call) ?? ''), content: source });
  };
}

/** Waits for the ending of a call and returns its events. */
export async function ended(at: Peer, call: CallId, what = 'the ending'): Promise<string[]> {
  await harness.until(() => at.log.hasEnded(call), what);
  return at.log.kinds(call);
}

export function incomingNamed(at: Peer, text: string): CallId | undefined {
  return at.log.all('incoming').find((incoming) => incoming.text === text)?.call;
}

/** The order in which contents arrived, by the headers of their requests. */
export function contentOrder(at: Peer): string[] {
  const names = new Map(at.log.all('incoming').map(({ call, text }) => [call, text]));
  return at.log.all('content').map(({ call }) => names.get(call) ?? '?');
}
