/** Stands between the page and the main process: gives the page its calls (app/tray/view/api.ts), and nothing else of Electron. */
import { contextBridge, ipcRenderer } from 'electron';
import type { ControlReply } from '../../../shared/control/protocol.ts';
import type { CallTransport } from '../view/api.ts';
import { CHANNELS, SHOW_CHANNEL } from './channels.ts';

const ask = (name: keyof typeof CHANNELS, ...given: unknown[]): Promise<ControlReply> =>
  ipcRenderer.invoke(CHANNELS[name], ...given) as Promise<ControlReply>;

const carrier: CallTransport = {
  status: (revision, waitMs) => ask('status', revision, waitMs),
  command: (name, args) => ask('command', name, args),
  firstRun: null,
  program: {
    isNew: () => ask('isNew'),
    chooseFolder: () => ask('chooseFolder'),
    usualFolder: () => ask('usualFolder'),
    join: (invitation, folder, name) => ask('join', invitation, folder, name),
    serve: (folder, name) => ask('serve', folder, name),
    devices: () => ask('devices'),
    invite: () => ask('invite'),
    rename: (device, name) => ask('rename', device, name),
    revoke: (device) => ask('revoke', device),
    open: (path, reveal) => ask('open', path, reveal),
    appearance: (change) => ask('appearance', change),
    start: () => ask('start'),
    autostart: (set) => ask('autostart', set),
    onShow: (show) => {
      ipcRenderer.on(SHOW_CHANNEL, (_event, pane: unknown) => {
        if (typeof pane === 'string') show(pane);
      });
    },
  },
};

contextBridge.exposeInMainWorld('godwit', carrier);
