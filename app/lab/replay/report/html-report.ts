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
body { font: 15px/1.45 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c; background: #fff; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; display: block; overflow-x: auto; }
td, th { border-bottom: 1px solid #ddd; padding: .25rem .55rem; text-align: right; white-space: nowrap; font-size: .93em; }
td:first-child, th:first-child { text-align: left; white-space: normal; min-width: 5rem; padding-left: 0; }
td.off { color: #9c2f27; font-weight: 600; }
svg { width: 100%; height: auto; }
.several { display: grid; grid-template-columns: repeat(auto-fit, minmax(24rem, 1fr)); gap: 0 1.5rem; }
figure { margin: .5rem 0; } figcaption { font-weight: 600; }
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
  const several = lines.length > 1 ? ['<div class="several">', '</div>'] : ['', ''];
  const charts = [several[0], ...lines.map(figureHtml), several[1], ...bars.map(barChart)];
  return [`<h2>${escaped(heading)}</h2>`, ...paragraphs, ...charts, tableHtml(table)].join('\n');
}

function figureHtml(chart: LineChart): string {
  const { title } = chart;
  const caption = title === undefined ? '' : `<figcaption>${escaped(title)}</figcaption>`;
  return `<figure>${caption}${lineChart(chart)}</figure>`;
}

/** What a reader has to find among many rows. */
const OFF: ReadonlySet<string> = new Set(['missed', 'not to be quoted']);

function tableHtml([head, ...rows]: ReadonlyArray<readonly string[]>): string {
  if (head === undefined) return '';
  const row = (cells: readonly string[], tag: 'th' | 'td'): string =>
    `<tr>${cells.map((cell) => cellHtml(cell, tag)).join('')}</tr>`;
  return `<table>${row(head, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}</table>`;
}

function cellHtml(cell: string, tag: 'th' | 'td'): string {
  const begin = OFF.has(cell) ? `${tag} class="off"` : tag;
  return `<${begin}>${escaped(cell)}</${tag}>`;
}
