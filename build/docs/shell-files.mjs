/**
 * Writes what a shell and `man` know of the commands: `node build/run.mjs build/docs/shell-files.mjs OUT VERSION DATE`. In OUT there
 * are two trees as packages have them, `product` and `laboratory`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { scriptFor } from '../../app/cli/shell-scripts.ts';
import { LABORATORY } from '../../app/cli/program.ts';
import { program, simulatorHelp } from './reference-pages.mjs';
import { renderManPages } from './render-man.mjs';

/** Paths from the root of the system to what is in the files, of each package. */
export async function shellFiles(version, date) {
  const whole = await program();
  const about = { version, date, helps: { sim: await simulatorHelp() } };
  const isLaboratory = (heading) => heading === LABORATORY;
  const ofProduct = renderManPages(whole, about, (heading) => !isLaboratory(heading));
  const ofLaboratory = renderManPages(whole, about, isLaboratory);
  ofLaboratory.delete('godwit.1');
  return {
    product: new Map([...manual(ofProduct), ...completions(whole)]),
    laboratory: new Map(manual(ofLaboratory)),
  };
}

const manual = (pages) => [...pages].map(([name, page]) => [`usr/share/man/man1/${name}`, page]);

function completions(whole) {
  return [
    ['usr/share/bash-completion/completions/godwit', scriptFor('bash', whole)],
    ['usr/share/zsh/vendor-completions/_godwit', scriptFor('zsh', whole)],
    ['usr/share/fish/vendor_completions.d/godwit.fish', scriptFor('fish', whole)],
  ];
}

if (process.argv[1] === import.meta.filename) {
  const [out, version, date] = process.argv.slice(2);
  for (const [part, files] of Object.entries(await shellFiles(version, date))) {
    for (const [path, text] of files) {
      const isPage = path.startsWith('usr/share/man/');
      const to = join(out, part, isPage ? `${path}.gz` : path);
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, isPage ? gzipSync(text, { level: 9 }) : text);
    }
  }
}
