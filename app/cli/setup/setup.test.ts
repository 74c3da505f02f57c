/** What `godwit server setup` guesses, asks, writes and says, without a server. */
import { describe, expect, it } from '@jest/globals';
import { firewallLines } from './firewall.ts';
import { interview, portOf } from './interview.ts';
import { invitationHelp, qrLines } from './invitation-lines.ts';
import { guessAddress, parsePublicAddress } from './public-address.ts';
import { parseSettings, withSettings } from './server-config.ts';

const outward = (address: string) => ({ address, family: 'IPv4', internal: false });
const loopback = { address: '127.0.0.1', family: 'IPv4', internal: true };

describe('the guess of an address', () => {
  it.each([
    ['files.example.org', [loopback], 'files.example.org', false],
    ['box', [loopback, outward('192.168.1.4')], '192.168.1.4', true],
    ['box', [outward('10.0.0.1'), outward('203.0.113.9')], '203.0.113.9', false],
    ['box.local', [outward('172.20.0.2')], '172.20.0.2', true],
    ['box.lan', [outward('172.32.0.2')], '172.32.0.2', false],
    ['box', [outward('100.100.0.2')], '100.100.0.2', true],
    ['10.1.2.3', [loopback], '127.0.0.1', true],
  ])('takes of the machine %s with %j the host %s', (name, interfaces, host, isPrivate) => {
    expect(guessAddress(name, interfaces)).toEqual({ host, isPrivate });
  });
});

describe('the address that a person gives', () => {
  it.each([
    ['files.example.org', { host: 'files.example.org', port: 4433 }],
    ['files.example.org:99', { host: 'files.example.org', port: 99 }],
    [' [2001:db8::1]:5 ', { host: '2001:db8::1', port: 5 }],
  ])('is understood in %j', (text, expected) => {
    expect(parsePublicAddress(text, 4433)).toEqual(expected);
  });

  it.each(['', 'a b', '0.0.0.0', '[::]:4', 'x:0', 'x:65536', 'exämple.org', 'https://x', 'x?y'])(
    'is refused with a code in %j',
    (text) => {
      expect(() => parsePublicAddress(text, 4433)).toThrow(
        expect.objectContaining({ code: 'bad-address' }),
      );
    },
  );

  it.each(['', '0', '65536', '-1', '4433x', '4.5'])('is refused with a port %j', (text) => {
    expect(() => portOf(text)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('the settings file', () => {
  const before = '# Mine.\nGODWIT_SERVER_LISTEN=0.0.0.0:4433\nOTHER="a b"\n';

  it('keeps what is in it beside the settings', () => {
    const after = withSettings(
      before,
      new Map([
        ['GODWIT_SERVER_LISTEN', '0.0.0.0:99'],
        ['GODWIT_SERVER_DATA', '/srv/my files'],
      ]),
    );
    expect(after).toBe(
      '# Mine.\nGODWIT_SERVER_LISTEN=0.0.0.0:99\nOTHER="a b"\nGODWIT_SERVER_DATA="/srv/my files"\n',
    );
    expect(parseSettings(after).get('GODWIT_SERVER_DATA')).toBe('/srv/my files');
    expect(withSettings(after, parseSettings(after))).toBe(after);
  });

  it.each(['a"b', 'a$b', 'a`b', 'a\\b', 'a\nb'])(
    'refuses %j, which a shell would read',
    (value) => {
      expect(() => withSettings('', new Map([['X', value]]))).toThrow(
        expect.objectContaining({ code: 'usage' }),
      );
    },
  );
});

describe('the interview', () => {
  const usual = { address: null, port: 4433, guess: { host: '192.168.1.4', isPrivate: true } };
  const talkOf = (answers: Array<string | null>) => {
    const said: string[] = [];
    return {
      said,
      ask: (question: string) => {
        said.push(question);
        return Promise.resolve(answers.shift() ?? null);
      },
      say: (line: string) => void said.push(line),
    };
  };

  it('takes what is in brackets for an empty answer, and says that it is a guess', async () => {
    const talk = talkOf(['', '']);
    expect(await interview(talk, usual)).toEqual({
      port: 4433,
      address: { host: '192.168.1.4', port: 4433 },
    });
    expect(talk.said.join('\n')).toMatch(/192\.168\.1\.4 is a guess[\s\S]*forward UDP port 4433/);
  });

  it('asks again after an answer that makes no sense, with its reason', async () => {
    const talk = talkOf(['x', '99', 'a b', 'files.example.org']);
    expect(await interview(talk, usual)).toEqual({
      port: 99,
      address: { host: 'files.example.org', port: 99 },
    });
    expect(talk.said).toContain('x: not a port; give a number from 1 to 65535');
    expect(talk.said.filter((line) => line.startsWith('a b: '))).toHaveLength(1);
  });

  it('ends with the answers, and after five that make no sense', async () => {
    const ended = expect.objectContaining({ code: 'usage' });
    await expect(interview(talkOf([]), usual)).rejects.toEqual(ended);
    await expect(interview(talkOf(['a', 'b', 'c', 'd', 'e', '4433']), usual)).rejects.toEqual(
      ended,
    );
  });

  it('has no word of a guess where an address was set before', async () => {
    const talk = talkOf(['', '']);
    await interview(talk, { ...usual, address: 'files.example.org:4433' });
    expect(talk.said.join('\n')).not.toContain('guess');
  });
});

describe('the lines for people', () => {
  it.each([
    ['ufw', 'sudo ufw allow 4433/udp'],
    ['firewall-cmd', '--add-port=4433/udp'],
    ['nft', 'udp dport 4433 accept'],
  ])('name the command of %s', (program, command) => {
    const lines = firewallLines(4433, (name) => name === program).join('\n');
    expect(lines).toContain(command);
    expect(firewallLines(4433, () => false).join('\n')).not.toContain('sudo');
  });

  const invitation = `godwit://files.example.org:4433/${'ab'.repeat(32)}/${'c'.repeat(32)}.${'d'.repeat(32)}.00000000`;

  it('draw an invitation in a terminal that is wide enough', () => {
    const lines = qrLines(invitation, 80);
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.length).toBeLessThan(40);
    expect(qrLines(invitation, 40)).toEqual([]);
  });

  it('say whether the address of an invitation was guessed', () => {
    expect(invitationHelp(invitation, 24, true).join('\n')).toContain('guess');
    expect(invitationHelp(invitation, 24, false).join('\n')).not.toContain('guess');
  });
});
