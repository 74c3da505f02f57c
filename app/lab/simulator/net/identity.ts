/** Identities of simulated machines: a name and the fingerprint that follows from it. */
import type { Identity } from '../../../../shared/ports/transport.ts';
import { digestOf } from '../disk/content-digest.ts';

/** Makes the identity of a simulated machine, whose fingerprint follows from its name. */
export function simulatedIdentity(name: string): Identity {
  return {
    certificatePem: `certificate of ${name}`,
    privateKeyPem: `key of ${name}`,
    fingerprint: digestOf(new TextEncoder().encode(`certificate of ${name}`)),
  };
}
