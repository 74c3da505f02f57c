/** Asks before what somebody shares is given up, and says what stays where. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Api } from '../view/api.ts';
import { lineText } from '../view/format.ts';
import { TEXT } from '../view/text.ts';
import { Dialog } from './dialog.tsx';
import type { Tell } from './toast.tsx';

interface LeaveProps {
  readonly api: Api;
  readonly tell: Tell;
  /** The volume that is shared. */
  readonly share: string;
  /** What its folder is called here. */
  readonly name: string;
  readonly by: string;
  readonly onClose: () => void;
}

/** Shows the question, and leaves when a person says so. */
export function LeaveDialog({ api, tell, share, name, by, onClose }: LeaveProps): JSX.Element {
  const words = TEXT.shares;
  const [works, setWorks] = useState(false);
  const shown = lineText(name);
  const leave = (): void => {
    setWorks(true);
    const call = api.command<{ stays: boolean }>('leave-share', { share });
    const said = ({ stays }: { stays: boolean }): string =>
      stays ? words.leftStays(shown) : words.left(shown);
    void tell(call, said).then(onClose);
  };
  return (
    <Dialog title={words.leaveTitle(shown)} onClose={onClose}>
      <p>{words.leaveSays(lineText(by))}</p>
      <p class="quiet">{words.leaveKept}</p>
      <div class="acts">
        <button type="button" class="danger" disabled={works} onClick={leave}>
          {words.leaveYes}
        </button>
        <button type="button" disabled={works} onClick={onClose}>
          {words.leaveNo}
        </button>
      </div>
    </Dialog>
  );
}
