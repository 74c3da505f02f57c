/** Names that programs draw, replaced by ones that are the same in each recording. */

/** Which part of a name is drawn, and what stands before and after it. */
const DRAWN: readonly RegExp[] = [
  /^()([0-9a-f]{38,})(.*)$/, // git's objects
  /^(tmp_[a-z]+_|pack-|st|ziXX|sed)([A-Za-z0-9]{6,40})(.*)$/, // git, strip, zip, sed
  /^(\..+[.-])([A-Za-z0-9_]{6,8})()$/, // rsync, npm
];

export class PlainNames {
  readonly #known = new Map<string, string>();

  /** Of a path, each part by itself. A blank becomes an underline, for it parts the words of a step. */
  plain(path: string): string {
    return path
      .split('/')
      .map((part) => this.#part(part).replaceAll(/\s/g, '_'))
      .join('/');
  }

  #part(part: string): string {
    const known = this.#known.get(part);
    if (known !== undefined) return known;
    for (const pattern of DRAWN) {
      const [, before = '', drawn, after = ''] = pattern.exec(part) ?? [];
      if (drawn === undefined) continue;
      const of = this.#known.get(drawn) ?? `n${this.#known.size}`;
      this.#known.set(drawn, of);
      const plain = before + of + after;
      this.#known.set(part, plain);
      return plain;
    }
    return part;
  }
}
