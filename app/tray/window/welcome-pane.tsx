/** The first start: an invitation and a folder, and the device is paired. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CallError, resultOf, type ProgramTransport } from '../view/api.ts';
import { TEXT } from '../view/text.ts';
import { Field } from './field.tsx';
import { FolderField } from './folder-field.tsx';
import type { Tell } from './toast.tsx';

interface WelcomeProps {
  readonly program: ProgramTransport;
  readonly tell: Tell;
}

/** Shows the form that pairs a new device: an invitation and a folder. */
export function WelcomePane({ program, tell }: WelcomeProps): JSX.Element {
  const words = TEXT.welcome;
  const [invitation, setInvitation] = useState('');
  const [folder, setFolder] = useState('');
  const [joins, setJoins] = useState(false);

  const join = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (joins) return;
    setJoins(true);
    await tell(
      (async () => {
        if (invitation.trim() === '') throw missing(words.needInvitation);
        if (folder.trim() === '') throw missing(words.needFolder);
        return resultOf(program.join(invitation.trim(), folder.trim()));
      })(),
    );
    setJoins(false);
  };

  return (
    <main class="message">
      <h1>{words.title}</h1>
      <p>{words.intro}</p>
      <form onSubmit={(event) => void join(event)}>
        <Field
          {...{ id: 'invitation', label: words.invitation, hint: words.invitationHint }}
          value={invitation}
          onValue={setInvitation}
        />
        <FolderField
          {...{ id: 'folder', label: words.folder, program, tell }}
          value={folder}
          onValue={setFolder}
        />
        <button type="submit" class="strong" aria-disabled={joins}>
          {joins ? words.joining : words.join}
        </button>
      </form>
    </main>
  );
}

const missing = (message: string): CallError =>
  new CallError({ code: 'usage', message, remedy: '' });
