/** The part of a desktop that shows what programs tell a person (org.freedesktop.Notifications): it keeps them. */
import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createClient, type MessageBus } from 'dbus-native';
import { waitFor } from './bounded-wait.ts';

const NAME = 'org.freedesktop.Notifications';
const PATH = '/org/freedesktop/Notifications';

/** Whether the library `libnotify` exists, without which Electron shows no notifications. */
export const HAS_LIBNOTIFY = /libnotify\.so/.test(
  spawnSync('ldconfig', ['-p'], { encoding: 'utf8' }).stdout ?? '',
);

export interface Notification {
  readonly title: string;
  readonly body: string;
}

/** A notification service on a private bus. */
export class NotificationService {
  readonly told: Notification[] = [];
  readonly #bus: MessageBus;
  readonly #heard = new EventEmitter();

  private constructor(bus: MessageBus) {
    this.#bus = bus;
  }

  static async on(address: string): Promise<NotificationService> {
    const bus = createClient({ busAddress: address, authMethods: ['EXTERNAL'], timeout: 0 });
    bus.connection.on('error', () => undefined);
    const service = new NotificationService(bus);
    const Notify = (_app: string, _id: number, _icon: string, title: string, body: string) => {
      service.told.push({ title, body });
      service.#heard.emit('told');
      return service.told.length;
    };
    const methods = {
      GetCapabilities: () => ['body'],
      GetServerInformation: () => ['tests', 'godwit', '1', '1.2'],
      CloseNotification: (): void => undefined,
      Notify,
    };
    bus.exportInterface(methods, PATH, {
      name: NAME,
      methods: {
        GetCapabilities: ['', 'as', [], ['capabilities']],
        GetServerInformation: ['', 'ssss', [], ['name', 'vendor', 'version', 'spec']],
        CloseNotification: ['u', '', ['id'], []],
        Notify: ['susssasa{sv}i', 'u', ['app', 'id', 'icon', 'title', 'body'], ['id']],
      },
    });
    await bus.requestName(NAME, 0);
    return service;
  }

  /** Waits until more than so many have come. */
  async moreThan(count: number): Promise<void> {
    const what = `more than ${count} notifications`;
    await this.#waitFor(what, () => (this.told.length > count ? this.told : null));
  }

  /** Waits for the first notification with this title. */
  of(title: string): Promise<Notification> {
    const find = () => this.told.find((each) => each.title === title) ?? null;
    return this.#waitFor(`a notification ${title}`, find);
  }

  #waitFor<T>(what: string, find: () => T | null): Promise<T> {
    const look = () => ({ found: find(), seen: this.told });
    return waitFor({ what, heard: this.#heard, event: 'told', look });
  }

  async close(): Promise<void> {
    await this.#bus.close();
  }
}
