import { describe, expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { formatInvitation, hashOfSecret, parseInvitation } from './invitation.ts';

const invitation = {
  host: 'files.example.org',
  port: 4433,
  fingerprint: 'ab'.repeat(32),
  id: '01'.repeat(16),
  secret: 'fe'.repeat(16),
};

describe('an invitation in a text', () => {
  it.each(['files.example.org', '127.0.0.1', '::1', 'fe80::1%eth0', 'localhost'])(
    'is parsed again with the host %s',
    (host) => {
      expect(parseInvitation(formatInvitation({ ...invitation, host }))).toEqual({
        ...invitation,
        host,
      });
    },
  );

  it('may have white space around it', () => {
    expect(parseInvitation(`  ${formatInvitation(invitation)}\n`)).toEqual(invitation);
  });

  it('is refused when any character is altered or missing', () => {
    const text = formatInvitation(invitation);
    for (let i = 0; i < text.length; i++) {
      const other = text[i] === '1' ? '2' : '1';
      expect(parseInvitation(text.slice(0, i) + other + text.slice(i + 1))).toBeNull();
      expect(parseInvitation(text.slice(0, i))).toBeNull();
    }
  });

  it.each(['', 'godwit://', 'https://example.org/', 'godwit://x:1/2/3'])(
    'is refused when it is %j',
    (text) => {
      expect(parseInvitation(text)).toBeNull();
    },
  );

  it('is refused when its brackets contain no colon, although the checksum is right', () => {
    const body = formatInvitation(invitation).slice(0, -8).replace(invitation.host, '[fe81%eth0]');
    expect(parseInvitation(body + hash('sha256', body).slice(0, 8))).toBeNull();
  });

  it('is stored with a hash instead of its secret', () => {
    expect(hashOfSecret(invitation.secret)).toMatch(/^[0-9a-f]{64}$/);
    expect(hashOfSecret(invitation.secret)).not.toContain(invitation.secret);
  });
});
