/** What a person has pasted as an invitation, judged at once. */
import { formatHostPort } from '../../../shared/model/host-port.ts';
import { parseInvitation } from '../../../shared/model/invitation.ts';
import { TEXT } from './text.ts';

export interface InvitationView {
  readonly kind: 'empty' | 'good' | 'wrong';
  /** For people; '' while there is nothing to say. */
  readonly says: string;
}

const SCHEME = 'godwit://';

/** Whether it is one, whose, or what is wrong with it. White space around it is forgiven. */
export function invitationView(text: string): InvitationView {
  const trimmed = text.trim();
  if (trimmed === '') return { kind: 'empty', says: '' };
  const invitation = parseInvitation(trimmed);
  if (invitation !== null) {
    return { kind: 'good', says: TEXT.welcome.invitationFor(formatHostPort(invitation)) };
  }
  const { wrongStart, wrongText } = TEXT.welcome;
  return { kind: 'wrong', says: trimmed.startsWith(SCHEME) ? wrongText : wrongStart };
}
