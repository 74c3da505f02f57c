/** What people share with one another, as they write and read it. */
import type { Share } from '../../shared/control/access.ts';
import { rightsText, USUAL_SETS, type RightSet } from '../../shared/model/access-list.ts';
import type { ListedEntry } from '../../shared/model/decide-access.ts';
import { parseSet, parseWho, whoText, type Named } from './access-text.ts';
import { formatTable } from './format.ts';
import { printable } from './printable.ts';

/** How `--with` is explained. */
export const WITH_HELP =
  'a person, or @TEAM, and what they may: NAME:read, NAME:write (as without) or NAME:admin; may be given again';

export interface Grant extends Named {
  readonly rights: RightSet;
  readonly said: string;
}

/** `ann`, `ann:read` or `@crew:admin`. Throws GodwitError `usage`. */
export function parseGrant(text: string): Grant {
  const at = text.lastIndexOf(':');
  const [who, said] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  const rights = at < 0 ? USUAL_SETS.write : parseSet(said);
  return { ...parseWho(who), rights, said: rightsText(rights) };
}

/** What is offered comes first. `shown`: a path for people. */
export function shareLines(
  shares: ReadonlyArray<Share & { readonly members: readonly ListedEntry[] }>,
  shown: (path: readonly string[]) => string,
): string[] {
  if (shares.length === 0) return ['nothing is shared with you, and you share nothing'];
  const isOffer = ({ by, path }: Share): boolean => by !== null && path === null;
  const sorted = [...shares.filter(isOffer), ...shares.filter((share) => !isOffer(share))];
  const rows = sorted.map((share) => [
    printable(share.volume),
    share.by === null ? '' : `from ${printable(share.by)}`,
    rightsText(share.own),
    share.path === null ? (isOffer(share) ? 'offered' : 'not shown') : shown(share.path),
    share.members
      .map(({ rights, negative, ...who }) => {
        const may = `${negative ? 'not ' : ''}${rightsText(rights)}`;
        return `${whoText(who)} (${may})`;
      })
      .join(', '),
  ]);
  const accept = shares.some(isOffer)
    ? ['`godwit accept NAME` shows what is offered in your folder; `godwit leave NAME` gives it up']
    : [];
  return [...formatTable([['name', '', 'you may', 'where', 'others'], ...rows]), ...accept];
}
