/**
 * What a bound on the files that are here takes away: it is said before it is done, and asked for. Programs and scripts say --yes.
 */
import type { CachePreview } from '../../shared/control/cache.ts';
import type { CommandArguments } from '../../shared/control/commands.ts';
import { sizeText } from '../../shared/util/amounts.ts';
import { GodwitError } from '../../shared/wire/error-codes.ts';
import { agrees, canAsk } from './ask.ts';
import type { Context } from './context.ts';
import { formatCount } from './format.ts';

type Change = CommandArguments<'cache-settings'>;

/** What a daemon says that does not know the command. */
const UNHEARD_OF: ReadonlySet<string> = new Set(['not-found', 'bad-message', 'usage']);
const OLDER = 'this daemon is of an older version, and can not say which files become placeholders';

/** Whether the change is to be made: nothing goes by it, or somebody agrees. Throws GodwitError `usage` where nobody can be asked. */
export async function isAgreed(
  context: Context,
  key: string,
  change: Change,
  isSaid: boolean,
): Promise<boolean> {
  if (isSaid) return true;
  const { minimum, maximum, reserve } = change;
  const asked = Object.fromEntries(
    Object.entries({ minimum, maximum, reserve }).filter(([, value]) => value !== undefined),
  );
  if (Object.keys(asked).length === 0) return true;
  const preview = await previewOf(context, asked);
  if (preview?.goes.files === 0) return true;
  const hasFolder = (await context.daemon.status()).frontEnd === 'folder';
  const what = preview === null ? OLDER : whatGoes(preview, hasFolder);
  if (canAsk(context)) return agrees(context, `${what[0]?.toUpperCase()}${what.slice(1)}. Go on?`);
  throw new GodwitError(
    'usage',
    `${key}: ${what}; nothing was changed`,
    'give --yes if that is meant',
  );
}

/** null: an older daemon can't tell. */
async function previewOf({ daemon }: Context, change: Change): Promise<CachePreview | null> {
  try {
    return await daemon.command('cache-preview', change);
  } catch (error) {
    if (!(error instanceof GodwitError) || !UNHEARD_OF.has(error.code)) throw error;
    // The settings can't hold.
    if (error.message.startsWith('cache.')) throw error;
    return null;
  }
}

function whatGoes({ here, goes }: CachePreview, hasFolder: boolean): string {
  const left = `${here.files - goes.files} of ${formatCount(here.files, 'file')}`;
  const size = `(${sizeText(here.bytes - goes.bytes)})`;
  return hasFolder
    ? `this leaves ${left} ${size} here and makes ${formatCount(goes.files, 'placeholder')} (${sizeText(goes.bytes)})`
    : `this leaves ${left} ${size} here; the others (${sizeText(goes.bytes)}) are fetched again when they are opened`;
}

/** Placeholders that stay though there is room for their files now: a line for people, or none. */
export async function stayingPlaceholders(
  context: Context,
  { maximum }: Change,
): Promise<string[]> {
  if (maximum === undefined || context.json) return [];
  const preview = await previewOf(context, {});
  if (preview === null || preview.away.files === 0) return [];
  const { files, bytes } = preview.away;
  if (maximum !== null && preview.here.bytes + bytes > maximum) return [];
  const them = files === 1 ? 'it' : 'them';
  return [
    `${formatCount(files, 'placeholder')} (${sizeText(bytes)}) ${files === 1 ? 'stays' : 'stay'}; \`godwit prefetch /\` fetches ${them}`,
  ];
}
