/** The beginning of a file, to look at without a program for it. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { sizeText } from '../../../shared/util/amounts.ts';
import type { FilePreview } from '../../../shared/control/preview.ts';
import { CallError, type Api } from '../view/api.ts';
import { clockText } from '../view/clock.ts';
import { lineText } from '../view/format.ts';
import { TEXT } from '../view/text.ts';
import { Dialog } from './dialog.tsx';

/** What a person reads. */
const SHOWN_BYTES = 32 * 1024;

interface PreviewProps {
  readonly api: Api;
  readonly volume: string;
  readonly path: readonly string[];
  readonly onClose: () => void;
}

/** Shows the text of a file, or says that there is none to show. */
export function PreviewDialog({ api, volume, path, onClose }: PreviewProps): JSX.Element {
  const [told, setTold] = useState<FilePreview | string | null>(null);
  const name = lineText(path.at(-1) ?? '');
  useEffect(() => {
    const call = api.command<FilePreview>('preview', { volume, path, most: SHOWN_BYTES });
    void call.then(setTold, (error: unknown) =>
      setTold(error instanceof CallError ? lineText(error.message) : String(error)),
    );
  }, []);
  return (
    <Dialog title={name} onClose={onClose}>
      {told === null && <p class="quiet">{TEXT.conflict.loading}</p>}
      {typeof told === 'string' && <p>{told}</p>}
      {told !== null && typeof told !== 'string' && (
        <>
          <p class="quiet">
            {sizeText(told.size)}, {clockText(told.modified, Date.now())}
          </p>
          {told.text === null ? (
            <p>
              {told.target === undefined
                ? TEXT.files.noText
                : TEXT.conflict.linkTo(lineText(told.target))}
            </p>
          ) : (
            <pre tabIndex={0} role="region" aria-label={name}>
              {told.text}
            </pre>
          )}
          {told.isCut && <p class="quiet">{TEXT.conflict.isCut}</p>}
        </>
      )}
    </Dialog>
  );
}
