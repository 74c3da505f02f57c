/**
 * Makes identities: what a device or a server is known by. The private key is a secret of the caller;
 * nothing is stored here.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Identity } from '../ports/transport.ts';
import { native } from './binding.ts';

/**
 * A new P-256 key and a self-signed certificate that names `commonName` and doesn't expire. The name is for people
 * only: a peer is recognised by its fingerprint.
 */
export function generateIdentity(commonName: string): Identity {
  return native.generateIdentity(commonName);
}

/** Key, certificate and fingerprint are what they were made as: QUIC would only say that there is no connection. */
export function isWhole({ certificatePem, privateKeyPem, fingerprint }: Identity): boolean {
  try {
    const certificate = new X509Certificate(certificatePem);
    const hex = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
    return hex === fingerprint && certificate.checkPrivateKey(createPrivateKey(privateKeyPem));
  } catch {
    return false;
  }
}
