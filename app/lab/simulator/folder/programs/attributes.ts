/** Programs that set what is not synced of files: owners, groups, access lists, labels of the system. A change from elsewhere must not take it away. */
import type { Hand } from '../hand.ts';
import { encodeAcl, TAG } from '../../posix/access-list.ts';
import { SOON, type Program } from './program.ts';

/** A group that the person is in, beside their own. */
export const SHARED_GROUP = 2000;
const COLLEAGUES = [1001, 1002];
const NO_ID = 0xffff_ffff;
const encoder = new TextEncoder();

/** `chgrp` and `setfacl`: a person lets colleagues in. */
export function* shares(hand: Hand): Program {
  const path = hand.someFile();
  if (path === null) return;
  const colleague = hand.random.pick(COLLEAGUES);
  if (hand.random.chance(0.5)) hand.calls.lchown(hand.at(path), -1, SHARED_GROUP);
  yield SOON;
  const rights = { owner: 6, group: 4, other: 0 };
  const list = [
    { tag: TAG.owner, rights: rights.owner, id: NO_ID },
    { tag: TAG.user, rights: hand.random.pick([4, 6]), id: colleague },
    { tag: TAG.groupOwner, rights: rights.group, id: NO_ID },
    { tag: TAG.mask, rights: 6, id: NO_ID },
    { tag: TAG.other, rights: rights.other, id: NO_ID },
  ];
  hand.calls.setxattr(hand.at(path), 'system.posix_acl_access', encodeAcl(list));
}

/** What a system attaches to files by itself, and nobody but root may. */
export function* labels(hand: Hand): Program {
  const path = hand.someFile();
  if (path === null) return;
  yield SOON;
  const label = encoder.encode(`label ${hand.ledger.next()}`);
  hand.calls.setxattr(hand.at(path), 'security.selinux', label);
}
