/** The rules by which files are left out: what a `.godwitignore` is for, and what holds without one. */
import type { JSX } from 'preact';
import { DEFAULT_IGNORES } from '../../../shared/control/default-ignores.ts';
import { TEXT } from '../view/text.ts';

/** Shows which files are never synced, and what `.godwitignore` is for. */
export function LeftOutCard(): JSX.Element {
  const words = TEXT.leftOut;
  return (
    <section class="card" aria-labelledby="left-out-title">
      <h2 id="left-out-title">{words.title}</h2>
      <p>{words.own}</p>
      <p class="quiet">{words.which}</p>
      <details>
        <summary>{words.defaults}</summary>
        <table class="rules" aria-label={words.defaults}>
          <thead>
            <tr>
              <th scope="col">{words.rule}</th>
              <th scope="col">{words.why}</th>
            </tr>
          </thead>
          <tbody>
            {DEFAULT_IGNORES.map(([pattern, why]) => (
              <tr key={pattern}>
                <th scope="row">
                  <code>{pattern}</code>
                </th>
                <td>{why}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
