/** A peer that does not read its answers: the queue of its connection is bounded, and no other peer waits for it (contract 11). */
import { expect, it } from '@jest/globals';
import { MOST_UNHEARD_ANSWERS } from '../../shared/ports/transport.ts';
import { bytes, echo, ended, harness, listen, peer, send, type Peer } from './link-pair.ts';

const ANSWER = 512 * 1024;
const ASKED = 40;
const LONGEST = { maxHeaderBytes: 1024 * 1024 };

const texts = (server: Peer): string[] => server.log.all('incoming').map(({ text }) => text);

/** Answers each request with long contents. */
function answersMuch(server: Peer): void {
  server.log.onIncoming = ({ call, text }) => {
    const header = text.startsWith('much') ? new Uint8Array(ANSWER) : bytes(text);
    server.link.reply(call, { header, content: null });
  };
}

export function unreadTests(): void {
  it('a peer with too many unread answers gets no further requests until it reads, and others go on (contract 11)', async () => {
    const [server, reader, other] = [
      peer(LONGEST),
      peer({ ...LONGEST, isElsewhere: true }),
      peer(LONGEST),
    ];
    const at = await listen(server);
    const pin = server.identity.fingerprint;
    const way = await harness.way(reader, at);
    const connection = reader.link.connect({ ...way.at, pin });
    echo(server);
    await ended(reader, send(reader, connection, 'first'));
    // All is set up before the line is cut: a transport gives up a peer that confirms nothing for long.
    const beside = other.link.connect({ ...at, pin });
    await ended(other, send(other, beside, 'first'));
    answersMuch(server);
    way.cutBack();
    const told = (): number => texts(server).filter((text) => text.startsWith('much')).length;
    const calls = Array.from({ length: ASKED }, (_, n) => send(reader, connection, `much ${n}`));
    const most = Math.floor(MOST_UNHEARD_ANSWERS / ANSWER) + 1;
    await harness.until(() => texts(server).length >= 2 + most, 'as many as it may leave');
    for (let n = 0; n < 3; n++) {
      expect(await ended(other, send(other, beside, `short ${n}`))).toEqual(['sent', 'reply']);
    }
    // Those told at one go with the one that passed the bound are more than it allows; after them there is none.
    expect(told()).toBeLessThan(ASKED);
    const before = told();
    expect(await ended(other, send(other, beside, 'short last'))).toEqual(['sent', 'reply']);
    expect(told()).toBe(before);
    const unread = server.log.all('unread').map(({ connection: whose }) => whose);
    const [itsOwn] = server.log
      .all('connected')
      .filter(({ peer: who }) => who === reader.identity.fingerprint);
    expect(unread).toEqual([itsOwn?.connection]);
    way.mend();
    for (const call of calls) expect(await ended(reader, call)).toEqual(['sent', 'reply']);
    expect(told()).toBe(ASKED);
    expect(server.log.all('unread')).toHaveLength(1);
  });
}
