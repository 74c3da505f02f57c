/** A report as one HTML file that needs nothing else: no network, no script. */
import { escaped } from './html-text.ts';
import { barChart, lineChart, type BarChart, type LineChart } from './svg-chart.ts';

export interface Section {
  readonly heading: string;
  readonly text?: readonly string[];
  /** The first row is its head. */
  readonly table?: ReadonlyArray<readonly string[]>;
  readonly lines?: readonly LineChart[];
  readonly bars?: readonly BarChart[];
}

const STYLE = `
body { font: 15px/1.45 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c; background: #fff; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; display: block; overflow-x: auto; }
td, th { border-bottom: 1px solid #ddd; padding: .25rem .7rem; text-align: right; white-space: nowrap; }
td:first-child, th:first-child { text-align: left; }
svg { width: 100%; height: auto; }
`;

/** `raw`: what it was made of, kept in the page for programs. */
export function htmlReport(title: string, sections: readonly Section[], raw: object): string {
  // Nothing in a script element ends it, or begins a comment.
  const data = JSON.stringify(raw).replaceAll('<', '\\u003c');
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${escaped(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escaped(title)}</h1>`,
    ...sections.map(sectionHtml),
    `<script type="application/json" id="raw">${data}</script>`,
    '</body></html>',
    '',
  ].join('\n');
}

function sectionHtml({ heading, text = [], table = [], lines = [], bars = [] }: Section): string {
  const paragraphs = text.map((line) => `<p>${escaped(line)}</p>`);
  const charts = [...lines.map(lineChart), ...bars.map(barChart)];
  return [`<h2>${escaped(heading)}</h2>`, ...paragraphs, ...charts, tableHtml(table)].join('\n');
}

function tableHtml([head, ...rows]: ReadonlyArray<readonly string[]>): string {
  if (head === undefined) return '';
  const row = (cells: readonly string[], tag: 'th' | 'td'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  return `<table>${row(head, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}</table>`;
}
