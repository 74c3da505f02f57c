/** A laptop has joined: whoever reads it knows whether that was meant, and how to refuse it. */
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { OwnDevice } from '../../../shared/control/snapshot.ts';
import { agoText } from '../view/ago.ts';
import { timeOf } from '../view/clock.ts';
import { lineText } from '../view/format.ts';
import { joinedKey } from '../view/notices.ts';
import { TEXT } from '../view/text.ts';
import { copyText } from './open-place.ts';
import type { PaneProps } from './pane-props.ts';
import { Glyph } from './sign.tsx';
import type { Tell } from './toast.tsx';
import { useMeant } from './use-meant.ts';

const KEY = 'godwit-laptops-known';

/** Shows each laptop that has joined until a person has said that it is theirs. */
export function JoinedCards({ status: { devices = [] }, tell }: PaneProps): JSX.Element {
  const [known, end] = useMeant(KEY);
  const fresh = devices.filter((each) => each.joined !== undefined && !known.has(joinedKey(each)));
  return (
    <>
      {fresh.map((device) => {
        const key = joinedKey(device);
        return <JoinedCard key={key} {...{ device, tell }} onEnd={() => end(key)} />;
      })}
    </>
  );
}

interface CardProps {
  readonly device: OwnDevice;
  readonly tell: Tell;
  readonly onEnd: () => void;
}

function JoinedCard({ device: { device, name, since }, tell, onEnd }: CardProps): JSX.Element {
  const words = TEXT.home;
  const id = useId();
  const command = `godwit server revoke ${device}`;
  return (
    <section class="card needs" aria-labelledby={id} data-card="joined">
      <h2 id={id} class="line">
        <Glyph of="laptop" /> {words.joined(lineText(name))}
      </h2>
      <p>
        {words.joinedSays(agoText(timeOf(since), Date.now()))} {words.joinedRefuse(command)}
      </p>
      <div class="acts">
        <button type="button" class="strong" onClick={onEnd}>
          {words.joinedMine}
        </button>
        <button type="button" onClick={() => copyText(tell, command)}>
          {words.joinedCopy}
        </button>
      </div>
    </section>
  );
}
