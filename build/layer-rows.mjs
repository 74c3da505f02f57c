/** The two kinds of rows that build/layers.mjs has, by what their files may do. */
export const ANY = '*';

/** Decides, or computes: no Node, no clock, no promise. */
export function pure(path, code, why) {
  return {
    path,
    direct: false,
    code,
    types: [],
    packages: [],
    node: [],
    why,
    ambient: false,
    promises: false,
  };
}

/** Sees the world. */
export function world(path, row) {
  return {
    path,
    direct: false,
    types: [],
    packages: [],
    node: ANY,
    ambient: true,
    promises: true,
    ...row,
  };
}
