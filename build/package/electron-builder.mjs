/**
 * Installers of the tray with an Electron of its own: AppImage, dmg, Windows. Made where electron-builder can fetch its tools:
 *
 *   npm run setup && npx electron-builder --config build/package/electron-builder.mjs --linux AppImage
 *   ... --mac dmg        on macOS
 *   ... --win nsis       on Windows
 *
 * The program in them is the bundle of app/tray; server, daemon and CLI go beside it, with the Node they run on. For Debian there is
 * build/package-deb.mjs, which needs no network; both take the same files and packages.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../node-path.mjs';
import { BUILD_FILES, FILES, PARTS } from './contents.mjs';
import { productionPackages } from './production-packages.mjs';

const { name, version, description, devDependencies } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);
const MODULES = 'node_modules/';
const icon = 'app/tray/icons/godwit.png';

/** Of the Node that comes along, the program alone. */
const filterOf = (path) =>
  /^node-[a-z]+-[a-z0-9]+$/.test(path) ? `${path}/{bin/**,package.json,LICENSE}` : `${path}/**`;

export default {
  appId: 'net.godwit.tray',
  productName: 'Godwit',
  electronVersion: devDependencies.electron,
  // The bundles come without a name of their own.
  extraMetadata: { name, version, description },
  // Nothing is compiled here, and the bundles hold what they need.
  npmRebuild: false,
  nodeGypRebuild: false,
  directories: { app: 'app/tray/built', output: '.cache/packages' },
  files: ['**/*', '!node_modules'],
  asar: true,
  extraResources: [
    {
      from: '.',
      to: 'godwit',
      filter: [
        ...PARTS.map((part) => `${part}/**`),
        ...FILES,
        ...BUILD_FILES,
        '!app/tray/{main,view,window,icons}/**',
        '!**/*.test.ts',
        '!**/native/{src,target}/**',
        '!**/*.{rs,toml,lock,stamp}',
      ],
    },
    {
      from: 'node_modules',
      to: 'godwit/node_modules',
      filter: productionPackages(ROOT).map((path) => filterOf(path.slice(MODULES.length))),
    },
  ],
  linux: { target: ['AppImage'], category: 'Network', icon },
  mac: { target: ['dmg'], category: 'public.app-category.productivity', icon },
  win: { target: ['nsis'], icon },
  nsis: { oneClick: false, perMachine: false },
};
