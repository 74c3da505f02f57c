/** The laptops of the server: all of them where this program runs it, else this one, and who knows the others. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { resultOf, type ProgramTransport } from '../view/api.ts';
import { timeOf } from '../view/clock.ts';
import { agoText } from '../view/ago.ts';
import { lineText } from '../view/format.ts';
import { TEXT } from '../view/text.ts';
import { copyText } from './open-place.ts';
import type { PaneProps } from './pane-props.ts';
import { Rename } from './rename-form.tsx';
import { Glyph } from './sign.tsx';
import { nothingToSay, type Tell } from './toast.tsx';

/** As `godwit server devices --json` lists them. */
interface Device {
  readonly id: number;
  readonly name: string;
  readonly state: string;
  readonly lastHello: string;
}

/** Shows the card. */
export function DevicesCard({ api, status, tell }: PaneProps): JSX.Element {
  const words = TEXT.settings;
  const { program } = api.carrier;
  const [devices, setDevices] = useState<readonly Device[] | null>(null);
  const look = (): void => {
    if (program === null) return;
    const call = resultOf<{ devices: Device[] } | null>(program.devices());
    void tell(call, nothingToSay).then((told) => setDevices(told?.devices ?? null));
  };
  useEffect(look, [program]);
  return (
    <section class="card" aria-labelledby="devices-title" data-card="devices">
      <h2 id="devices-title">{words.devices}</h2>
      <div class="line">
        <Glyph of="laptop" size={22} />
        <span class="line-words">
          <b>{lineText(status.device.name)}</b> <span class="quiet">{words.thisDevice}</span>
        </span>
        <Rename
          name={status.device.name}
          onName={(name) =>
            tell(api.command('device-name', { name }), () => words.renamed(lineText(name)))
          }
        />
      </div>
      {devices === null || program === null ? (
        <>
          <OtherDevices status={status} />
          <p class="quiet">{words.otherDevices(lineText(status.server.address))}</p>
        </>
      ) : (
        <>
          <ul class="rows">
            {devices
              .filter(({ id }) => id !== status.device.id)
              .map((device) => (
                <DeviceRow key={device.id} {...{ program, tell, device }} onDone={look} />
              ))}
          </ul>
          <Invite {...{ program, tell }} />
        </>
      )}
    </section>
  );
}

/** Those that the daemon was told of. */
function OtherDevices({ status }: Pick<PaneProps, 'status'>): JSX.Element | null {
  const others = (status.devices ?? []).filter(({ device }) => device !== status.device.id);
  if (others.length === 0) return null;
  return (
    <ul class="rows">
      {others.map(({ device, name, since }) => (
        <li key={device} class="line">
          <Glyph of="laptop" size={22} />
          <span class="line-words">
            <b>{lineText(name)}</b>{' '}
            <span class="quiet">{TEXT.settings.pairedAgo(agoText(timeOf(since), Date.now()))}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

interface ActProps {
  readonly program: ProgramTransport;
  readonly tell: Tell;
}

function DeviceRow(props: ActProps & { device: Device; onDone: () => void }): JSX.Element {
  const { program, tell, device, onDone } = props;
  const words = TEXT.settings;
  const [asks, setAsks] = useState(false);
  const { id, state, lastHello } = device;
  const name = lineText(device.name);
  const when = Date.parse(lastHello);
  const seen = Number.isNaN(when) ? words.never : agoText(when, Date.now());
  const rename = async (to: string): Promise<unknown> => {
    const told = await tell(resultOf(program.rename(id, to)), () => words.renamed(lineText(to)));
    if (told !== undefined) onDone();
    return told;
  };
  const revoke = (): void => {
    setAsks(false);
    void tell(resultOf(program.revoke(id)), () => words.revoked(name)).then(onDone);
  };
  return (
    <li class="line">
      <Glyph of="laptop" size={22} />
      <span class="line-words">
        <b>{name}</b>{' '}
        <span class="quiet">
          {lineText(state)}, {words.lastSeen.toLowerCase()} {seen}
        </span>
      </span>
      {state !== 'revoked' && !asks && <Rename name={device.name} onName={rename} />}
      {state !== 'revoked' && !asks && (
        <button type="button" aria-label={words.revokeOf(name)} onClick={() => setAsks(true)}>
          {words.revoke}
        </button>
      )}
      {asks && (
        <span role="alert" class="sure">
          {words.revokeSure(name)}{' '}
          <button type="button" class="danger" onClick={revoke}>
            {words.yes}
          </button>{' '}
          <button type="button" onClick={() => setAsks(false)}>
            {words.no}
          </button>
        </span>
      )}
    </li>
  );
}

function Invite({ program, tell }: ActProps): JSX.Element {
  const words = TEXT.settings;
  const [invitation, setInvitation] = useState('');
  const invite = (): void => {
    const call = resultOf<{ invitation: string }>(program.invite());
    void tell(call, nothingToSay).then((made) => setInvitation(made?.invitation ?? ''));
  };
  if (invitation === '') {
    return (
      <button type="button" onClick={invite}>
        {words.invite}
      </button>
    );
  }
  return (
    <div data-card="invitation">
      <p class="quiet">{words.inviteHow}</p>
      <p class="details-text">
        <code>{invitation}</code>
      </p>
      <button type="button" class="strong" onClick={() => copyText(tell, invitation)}>
        {words.copy}
      </button>
    </div>
  );
}
