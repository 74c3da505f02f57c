/** Whether a path of our own goes along: no tests, of native code what runs, and of the tray its bundles. */
export function isProductFile(path) {
  if (/\/app\/tray\//.test(path) && !/\/app\/tray\/built(\/|$)/.test(path)) return false;
  return !UNUSED.test(path);
}

const UNUSED =
  /\.test\.ts$|\/target$|\/native\/(src|tls|product|fuzz)$|\.(rs|toml|lock|stamp)$|\/\.gitignore$|\/migrations\/README\.md$/;
