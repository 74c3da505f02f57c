/** The file groups of a volume, the files of one, and what the daemon would make a group of. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type {
  GroupContents,
  GroupList,
  NamedGroup,
  SuggestedGroup,
} from '../../../shared/control/groups.ts';
import type { Api } from '../view/api.ts';
import { freeGroupName, suggestionText } from '../view/files-view.ts';
import { lineText } from '../view/format.ts';
import { TEXT } from '../view/text.ts';
import { useAsked } from './asker.ts';
import type { Tell } from './toast.tsx';

interface CardProps {
  readonly api: Api;
  readonly tell: Tell;
  readonly volume: string;
  readonly edition: number;
  readonly onDone: () => void;
}

/**
 * Shows the file groups of a volume and the groups that the daemon suggests. It asks again when
 * `edition` changes.
 */
export function GroupsCard({ api, tell, volume, edition, onDone }: CardProps): JSX.Element {
  const words = TEXT.groups;
  const { told } = useAsked(
    async () => {
      const { groups } = await api.command<GroupList>('groups', { volume });
      const all = await api.command<SuggestedGroup[]>('group-suggestions');
      return { groups, suggested: all.filter((each) => each.volume === volume) };
    },
    volume,
    edition,
  );
  const groups = told?.groups ?? [];

  const end = ({ name }: NamedGroup): void => {
    const call = api.command('group-order', { act: 'end', volume, name, files: [] });
    void tell(call, () => words.ended(lineText(name))).then(onDone);
  };
  const accept = ({ files }: SuggestedGroup): void => {
    const name = freeGroupName(groups, 'inferred');
    const fids = files.map(({ fid }) => fid);
    const args = { act: 'create', volume, name, kind: 'inferred', files: fids };
    void tell(api.command('group-order', args), () => words.made(name)).then(onDone);
  };

  return (
    <section class="card" aria-labelledby="groups-title">
      <h2 id="groups-title">{words.title}</h2>
      <p class="quiet">{groups.length === 0 ? words.none : words.intro}</p>
      <ul class="things">
        {groups.map((group) => (
          <Group key={group.fid} {...{ api, tell, volume, group }} onEnd={() => end(group)} />
        ))}
      </ul>
      {(told?.suggested ?? []).length > 0 && <h3>{words.suggested}</h3>}
      <ul class="things">
        {(told?.suggested ?? []).map((each) => (
          <li key={each.files.map(({ fid }) => fid).join(' ')}>
            <span class="thing">{suggestionText(each)}</span>
            <button type="button" data-act="accept" onClick={() => accept(each)}>
              {words.accept}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface GroupProps extends Pick<CardProps, 'api' | 'tell' | 'volume'> {
  readonly group: NamedGroup;
  readonly onEnd: () => void;
}

function Group({ api, tell, volume, group, onEnd }: GroupProps): JSX.Element {
  const words = TEXT.groups;
  const [contents, setContents] = useState<GroupContents | null>(null);
  const { name, kind, files } = group;
  const shown = lineText(name);
  const look = async (): Promise<void> => {
    if (contents !== null) return setContents(null);
    setContents((await tell(api.command<GroupContents>('group', { volume, name }))) ?? null);
  };
  return (
    <li data-group={name}>
      <span class="thing">
        {shown}{' '}
        <span class="quiet">
          {TEXT.facts.files(files.length)}
          {kind === 'inferred' && `, ${words.inferred}`}
        </span>
      </span>
      <button type="button" aria-expanded={contents !== null} onClick={() => void look()}>
        {contents === null ? words.files : words.hide}
      </button>
      <button type="button" aria-label={words.endOf(shown)} onClick={onEnd}>
        {words.end}
      </button>
      {contents !== null && (
        <ol class="group-files" aria-label={words.filesOf(shown)}>
          {contents.files.map(({ fid, path }) => (
            <li key={fid}>{path === null ? `${fid} (${words.gone})` : lineText(path)}</li>
          ))}
        </ol>
      )}
    </li>
  );
}
