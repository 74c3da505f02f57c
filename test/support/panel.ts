/**
 * A panel without pixels: the part of a desktop that shows icons of programs, over D-Bus (StatusNotifierItem with its watcher, and
 * com.canonical.dbusmenu, as KDE and others have them). It asks for the tooltip and the menu as a panel does, and chooses items.
 */
import { EventEmitter } from 'node:events';
import { createClient, variantValue, type MessageBus } from 'dbus-native';
import { WAIT_LIMIT_MS, waitFor, type Look } from './bounded-wait.ts';

const WATCHER = 'org.kde.StatusNotifierWatcher';
const WATCHER_PATH = '/StatusNotifierWatcher';
const ITEM = 'org.kde.StatusNotifierItem';
const MENU = 'com.canonical.dbusmenu';
/** What Electron answers to a click on an item that it does not have. */
const NO_SUCH_ITEM = 'org.freedesktop.DBus.Error.Failed';
const PROPERTIES = 'org.freedesktop.DBus.Properties';

export interface PanelItem {
  readonly id: number;
  /** As a panel draws it: `_` before a letter is its key and not shown. */
  readonly label: string;
  readonly enabled: boolean;
  readonly children: readonly PanelItem[];
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly points: readonly number[];
}

type RawItem = readonly [number, Readonly<Record<string, unknown>>, readonly unknown[]];

/** The panel of a desktop. */
export class Panel {
  readonly #bus: MessageBus;
  readonly #heard = new EventEmitter();
  /** The bus name of the registered program and the path of its item. */
  #item: { readonly of: string; readonly path: string } | null = null;

  private constructor(bus: MessageBus) {
    this.#bus = bus;
  }

  static async on(address: string): Promise<Panel> {
    const bus = createClient({
      busAddress: address,
      authMethods: ['EXTERNAL'],
      timeout: WAIT_LIMIT_MS,
    });
    bus.connection.on('error', () => undefined);
    const panel = new Panel(bus);
    await panel.#serve();
    return panel;
  }

  async #serve(): Promise<void> {
    const bus = this.#bus;
    const values = {
      IsStatusNotifierHostRegistered: true,
      ProtocolVersion: 0,
      RegisteredStatusNotifierItems: [] as string[],
      RegisterStatusNotifierItem: (): void => undefined,
    };
    bus.exportInterface(values, WATCHER_PATH, {
      name: WATCHER,
      methods: { RegisterStatusNotifierItem: ['s', '', ['service'], []] },
      properties: {
        IsStatusNotifierHostRegistered: 'b',
        ProtocolVersion: 'i',
        RegisteredStatusNotifierItems: 'as',
      },
    });
    // Only the message has the name of the caller.
    bus.connection.on(
      'message',
      (message: { member?: string; interface?: string; sender?: string; body?: unknown[] }) => {
        const { member, sender, body, interface: of } = message;
        if (of === WATCHER && member === 'RegisterStatusNotifierItem' && sender !== undefined) {
          const given = String(body?.[0]);
          const isPath = given.startsWith('/');
          this.#item = {
            of: isPath ? sender : given,
            path: isPath ? given : '/StatusNotifierItem',
          };
          this.#heard.emit('registered');
        }
        // Whatever an item says has changed is worth another look.
        if (of === ITEM || of === MENU) this.#heard.emit('changed');
      },
    );
    await bus.requestName(WATCHER, 0);
    await bus.addMatch(`type='signal',interface='${ITEM}'`);
    await bus.addMatch(`type='signal',interface='${MENU}'`);
  }

  /** Resolves when a program has put its icon here. */
  async item(): Promise<void> {
    const look = () => ({ found: this.#item, seen: 'no icon' });
    await waitFor({ what: 'an icon in the panel', heard: this.#heard, event: 'registered', look });
  }

  async property(name: string): Promise<unknown> {
    const { of, path } = this.#of();
    const call = { destination: of, path, interface: PROPERTIES, member: 'Get', signature: 'ss' };
    return variantValue(await this.#bus.invoke({ ...call, body: [ITEM, name] }));
  }

  /** Resolves when the tooltip is this one. */
  async saying(wanted: string | RegExp): Promise<void> {
    const what = `the tooltip ${JSON.stringify(String(wanted))}`;
    const look = async () => {
      const seen = await this.tooltip();
      const isIt = typeof wanted === 'string' ? seen === wanted : wanted.test(seen);
      return { found: isIt ? seen : null, seen };
    };
    await waitFor({ what, heard: this.#heard, event: 'changed', look });
  }

  /** The tooltip of the icon. */
  async tooltip(): Promise<string> {
    const told = (await this.property('ToolTip')) as readonly unknown[];
    const parts = (Array.isArray(told[0]) ? told[0] : told) as readonly unknown[];
    return [parts[2], parts[3]].filter((part) => part !== '').join(' ');
  }

  /** The picture in its largest size: its points, each as how much of it covers what is behind, then red, green and blue. */
  async picture(): Promise<Picture> {
    const told = (await this.property('IconPixmap')) as ReadonlyArray<
      readonly [number, number, Uint8Array | readonly number[]]
    >;
    const [[width, height, points] = [0, 0, []]] = [...told].sort(([x], [y]) => y - x);
    return { width, height, points: [...points] };
  }

  /** Waits until `holds` accepts the picture, which is called `name` where it does not come. */
  showing(name: string, holds: (picture: Picture) => boolean): Promise<Picture> {
    const look = async () => {
      const picture = await this.picture();
      const { width, height } = picture;
      return { found: holds(picture) ? picture : null, seen: `another of ${width} x ${height}` };
    };
    return waitFor({ what: `the picture ${name}`, heard: this.#heard, event: 'changed', look });
  }

  async menu(): Promise<readonly PanelItem[]> {
    const path = await this.#menuPath();
    const { of } = this.#of();
    const call = { destination: of, path, interface: MENU, member: 'GetLayout' };
    const asked = { ...call, signature: 'iias', body: [0, -1, []] };
    const told = await this.#bus.invoke<readonly unknown[]>(asked);
    const layout = (told.length === 2 ? told[1] : told) as RawItem;
    return read(layout).children;
  }

  /** Waits for the menu item at this path of labels. */
  find(...labels: readonly string[]): Promise<PanelItem> {
    return this.#among(labels, () => Promise.resolve(true));
  }

  /** Clicks the menu item at this path of labels. */
  async choose(...labels: readonly string[]): Promise<void> {
    await this.#among(labels, (item) => this.#click(item));
  }

  /** Waits for the menu item at this path of labels that `takes` accepts. */
  #among(
    labels: readonly string[],
    takes: (item: PanelItem) => Promise<boolean>,
  ): Promise<PanelItem> {
    const look = async (): Promise<Look<PanelItem>> => {
      for (;;) {
        const menu = await this.menu();
        const found = search(menu, labels);
        if (found === null) return { found, seen: menu.map(shown) };
        if (await takes(found)) return { found, seen: null };
      }
    };
    const what = `the menu item ${labels.join(' > ')}`;
    return waitFor({ what, heard: this.#heard, event: 'changed', look });
  }

  /** Opens the menu inside of the menu that this item stands for, as a person does. */
  async open({ id }: PanelItem): Promise<void> {
    const call = { destination: this.#of().of, path: await this.#menuPath(), interface: MENU };
    await this.#bus.invoke({ ...call, member: 'AboutToShow', signature: 'i', body: [id] });
    await this.#tell(id, 'opened');
  }

  /** Clicks this item as it was drawn. False: the menu was replaced since. */
  press(item: PanelItem): Promise<boolean> {
    return this.#click(item);
  }

  async #tell(id: number, event: string): Promise<void> {
    const path = await this.#menuPath();
    const call = { destination: this.#of().of, path, interface: MENU, member: 'Event' };
    const body = [id, event, ['i', 0], 0];
    await this.#bus.invoke({ ...call, signature: 'isvu', body });
  }

  /** False: the menu was replaced since it was looked at. Its items have new numbers then, and nobody has the old ones. */
  async #click({ id }: PanelItem): Promise<boolean> {
    try {
      await this.#tell(id, 'clicked');
      return true;
    } catch (error) {
      if ((error as { dbusName?: unknown }).dbusName === NO_SUCH_ITEM) return false;
      throw error;
    }
  }

  /** A click on the icon itself. */
  async activate(): Promise<void> {
    const { of, path } = this.#of();
    const call = { destination: of, path, interface: ITEM, member: 'Activate' };
    await this.#bus.invoke({ ...call, signature: 'ii', body: [0, 0] });
  }

  async close(): Promise<void> {
    await this.#bus.close();
  }

  #of(): { readonly of: string; readonly path: string } {
    if (this.#item === null) throw new Error('no program has put an icon here');
    return this.#item;
  }

  async #menuPath(): Promise<string> {
    return String(await this.property('Menu'));
  }
}

function read([id, properties, children]: RawItem): PanelItem {
  const label = variantValue<unknown>(properties['label']);
  return {
    id,
    label: typeof label === 'string' ? label.replace(/_(.)/g, '$1') : '',
    enabled: variantValue<unknown>(properties['enabled']) !== false,
    children: children.map((child) => read(variantValue<RawItem>(child))),
  };
}

/** As an error tells it. */
const shown = ({ label, children }: PanelItem): unknown =>
  children.length === 0 ? label : [label, children.map(shown)];

function search(
  items: readonly PanelItem[],
  [label, ...rest]: readonly string[],
): PanelItem | null {
  const found = items.find((item) => item.label === label);
  if (found === undefined) return null;
  return rest.length === 0 ? found : search(found.children, rest);
}
