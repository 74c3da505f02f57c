/** What was deleted from a folder, and can be brought back. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RemovedReport, RestoreReport } from '../../../shared/control/history.ts';
import { CallError, type Api } from '../view/api.ts';
import { lineText } from '../view/format.ts';
import { removedLines, restoredText, type RemovedLine } from '../view/history-view.ts';
import { TEXT } from '../view/text.ts';
import { KindSign } from './sign.tsx';
import type { Tell } from './toast.tsx';

interface DeletedProps {
  readonly api: Api;
  readonly tell: Tell;
  readonly volume: string;
  readonly path: readonly string[];
  /** Asks again when it grows. */
  readonly edition: number;
  readonly onDone: () => void;
}

/** Shows the list as the server tells it, or why it does not. */
export function DeletedList(props: DeletedProps): JSX.Element {
  const { api, tell, volume, path, edition, onDone } = props;
  const words = TEXT.history;
  const [told, setTold] = useState<RemovedReport | string | null>(null);
  useEffect(() => {
    let isOver = false;
    const show = (next: RemovedReport | string): void => {
      if (!isOver) setTold(next);
    };
    setTold(null);
    void api
      .command<RemovedReport>('removed', { volume, path })
      .then(show, (error: unknown) =>
        show(error instanceof CallError ? lineText(error.message) : String(error)),
      );
    return () => void (isOver = true);
  }, [volume, path.join('/'), edition]);
  const restore = (line: RemovedLine): void => {
    const order = { volume, path: line.path, version: null, at: null, to: null };
    void tell(api.command<RestoreReport>('restore', order), restoredText).then(onDone);
  };
  if (told === null) return <p class="quiet">{words.looking}</p>;
  if (typeof told === 'string') return <p>{told}</p>;
  const lines = removedLines(told, Date.now());
  return (
    <>
      {lines.length === 0 && <p class="quiet empty">{words.noneDeleted}</p>}
      <ul class="rows" data-list="deleted">
        {lines.map((line) => (
          <li key={line.key} class="line">
            <KindSign kind={line.icon} />
            <span class="line-words">
              <b>{line.name}</b> <span class="quiet">{line.about}</span>
            </span>
            <button
              type="button"
              aria-label={words.restoreOf(line.name)}
              onClick={() => restore(line)}
            >
              {words.restoreVersion}
            </button>
          </li>
        ))}
      </ul>
      {lines.length > 0 && <p class="quiet">{words.retention}</p>}
    </>
  );
}
