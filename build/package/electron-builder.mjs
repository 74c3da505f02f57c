/**
 * Installers of the tray with an Electron of its own: AppImage, dmg, Windows. build/package-tray.mjs calls electron-builder with it.
 *
 * The program in them is the bundle of app/tray; server, daemon and CLI go beside it, with the Node they run on. For Debian there is
 * build/package-deb.mjs, which needs no network; both take the same files and packages.
 */
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { FETCHED_LOADER } from '../fetch-electron.mjs';
import { ROOT } from '../node-path.mjs';
import { BUILD_FILES, DOCUMENTS, FILES, PARTS } from './contents.mjs';
import { productionPackages } from './production-packages.mjs';

const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const BESIDE = 'godwit';
/** electron-builder would leave the program's own file of that name out, too: it is copied when all else is there. */
const SAME_NAME = 'package.json';
const icon = 'app/tray/icons/godwit.png';

/** Of native code what runs, of the tray its bundles; no tests. */
const PRODUCT = [
  '**/*',
  '!tray/{main,view,window,icons}/**',
  '!**/*.test.ts',
  '!**/native/{src,target,fuzz,product}/**',
  '!**/*.{rs,toml,lock,stamp}',
  '!**/built.*/**',
];

/** Of the Node that comes along, the program alone. */
const packageFilter = (path) =>
  /^node-[a-z]+-[a-z0-9]+$/.test(basename(path)) ? ['bin/**', 'package.json', 'LICENSE'] : ['**/*'];

const copied = (path, filter) => ({ from: path, to: join(BESIDE, path), filter });

export default {
  appId: 'net.godwit.tray',
  productName: 'Godwit',
  electronVersion: devDependencies.electron,
  // Nothing is compiled here, and the bundles hold what they need.
  npmRebuild: false,
  nodeGypRebuild: false,
  directories: { app: 'app/tray/built', output: '.cache/packages' },
  files: ['**/*', '!node_modules'],
  asar: true,
  extraResources: [
    ...PARTS.map((part) => copied(part, PRODUCT)),
    ...DOCUMENTS.filter((path) => extname(path) === '').map((path) => copied(path, ['**/*'])),
    ...[...FILES, 'LICENSE', ...DOCUMENTS.filter((path) => extname(path) !== ''), ...BUILD_FILES]
      .filter((path) => path !== SAME_NAME)
      .map((path) => copied(dirname(path), [basename(path)])),
    ...productionPackages(ROOT).map((path) => copied(path, packageFilter(path))),
  ],
  afterPack: ({ appOutDir, packager }) => {
    const resources = packager.getResourcesDir(appOutDir);
    copyFileSync(join(ROOT, SAME_NAME), join(resources, BESIDE, SAME_NAME));
    // The Electron of our tests has a loader in the place of an application, which would go before ours.
    const loader = join(resources, 'app');
    if (existsSync(join(loader, FETCHED_LOADER))) rmSync(loader, { recursive: true });
  },
  linux: { target: ['AppImage'], category: 'Network', executableName: 'godwit-tray', icon },
  mac: { target: ['dmg'], category: 'public.app-category.productivity', icon },
  win: { target: ['nsis'], icon },
  nsis: { oneClick: false, perMachine: false },
};
