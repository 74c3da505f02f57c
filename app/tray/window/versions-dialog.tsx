/** The versions of a file, each of which can be brought back: it is an ordinary change, and can be taken back itself. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RestoreReport, VersionsReport } from '../../../shared/control/history.ts';
import { CallError, type Api } from '../view/api.ts';
import { lineText } from '../view/format.ts';
import { restoredText, versionLines, type VersionLine } from '../view/history-view.ts';
import { TEXT } from '../view/text.ts';
import { Dialog } from './dialog.tsx';
import type { Tell } from './toast.tsx';

interface VersionsProps {
  readonly api: Api;
  readonly tell: Tell;
  readonly volume: string;
  /** Names from the root of the volume. */
  readonly path: readonly string[];
  readonly onClose: () => void;
}

/** Shows the versions as the server tells them, or why it does not. */
export function VersionsDialog({ api, tell, volume, path, onClose }: VersionsProps): JSX.Element {
  const words = TEXT.history;
  const [told, setTold] = useState<VersionsReport | string | null>(null);
  const look = (): void =>
    void api
      .command<VersionsReport>('versions', { volume, path })
      .then(setTold, (error: unknown) =>
        setTold(error instanceof CallError ? lineText(error.message) : String(error)),
      );
  useEffect(look, [volume, path.join('/')]);
  const restore = ({ number }: VersionLine): void => {
    const order = { volume, path, version: number, at: null, to: null };
    void tell(api.command<RestoreReport>('restore', order), restoredText).then(onClose);
  };
  const lines = told === null || typeof told === 'string' ? [] : versionLines(told, Date.now());
  return (
    <Dialog title={words.versionsOf(lineText(path.at(-1) ?? ''))} onClose={onClose}>
      {told === null && <p class="quiet">{words.looking}</p>}
      {typeof told === 'string' && <p>{told}</p>}
      {told !== null && typeof told !== 'string' && lines.length === 0 && <p>{words.none}</p>}
      <ul class="rows" data-list="versions">
        {lines.map((line) => (
          <li key={line.number} class="line">
            <span class="line-words">
              <b>{line.when}</b> <span class="quiet">{line.about}</span>
            </span>
            {line.canRestore && (
              <button
                type="button"
                aria-label={words.restoreOf(words.version(line.when))}
                onClick={() => restore(line)}
              >
                {words.restoreVersion}
              </button>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
