import { describe, expect, it } from '@jest/globals';
import { htmlReport } from './html-report.ts';
import { barChart, lineChart, niceTop } from './svg-chart.ts';

describe('a report in HTML', () => {
  const page = htmlReport(
    'of <b>',
    [
      { heading: 'a & b', text: ['"one"'], table: [['x'], ['</td><script>']] },
      { heading: 'plots', bars: [{ y: 's', parts: ['p'], bars: [{ name: '<i>', values: [3] }] }] },
    ],
    { evil: '</script><script>alert(1)</script>' },
  );

  it('uses no network and runs no scripts', () => {
    expect(page).not.toMatch(/https?:|src=|href=|url\(|@import/);
    expect(page.match(/<script/g)).toEqual(['<script']);
    expect(page).toContain('<script type="application/json"');
  });

  it('shows names literally, whatever they contain', () => {
    expect(page).toContain('<title>of &lt;b&gt;</title>');
    expect(page).toContain('<td>&lt;/td&gt;&lt;script&gt;</td>');
    expect(page).toContain('&lt;i&gt;');
  });

  it('contains its raw data', () => {
    const [, data = ''] = /id="raw">(.*)<\/script>/.exec(page) ?? [];
    expect(JSON.parse(data)).toEqual({ evil: '</script><script>alert(1)</script>' });
  });
});

describe('a chart in a report', () => {
  it('stacks the parts of a bar in proportion', () => {
    const chart = barChart({ y: 's', parts: ['a', 'b'], bars: [{ name: 'x', values: [1, 3] }] });
    const heights = [...chart.matchAll(/y="([\d.]+)" width="[\d.]+" height="([\d.]+)"/g)];
    const [[, topA, a], [, topB, b]] = heights as unknown as [string[], string[]];
    expect(Number(b) / Number(a)).toBeCloseTo(3, 1);
    expect(Number(topB) + Number(b)).toBeCloseTo(Number(topA), 0);
  });

  it('draws a line through its points from left to right', () => {
    const series = [
      { name: 'n', points: [[64, 1] as const, [128, 2] as const, [256, 4] as const] },
    ];
    const chart = lineChart({ x: 'x', y: 'y', doubling: true, series });
    const [, points = ''] = /polyline points="([^"]+)"/.exec(chart) ?? [];
    const xs = points.split(' ').map((point) => Number(point.split(',')[0]));
    expect(xs).toHaveLength(3);
    expect((xs[1] as number) - (xs[0] as number)).toBeCloseTo(
      (xs[2] as number) - (xs[1] as number),
      0,
    );
  });

  it('shows a line of one point', () => {
    const chart = lineChart({ x: 'x', y: 'y', series: [{ name: 'n', points: [[256, 1]] }] });
    expect(chart.match(/<circle/g)).toHaveLength(1);
  });

  it('is empty when there is nothing to draw', () => {
    expect(lineChart({ x: '', y: '', series: [] })).toBe('');
    expect(barChart({ y: '', parts: [], bars: [] })).toContain('<svg');
  });

  it.each([
    [0, 1],
    [0.3, 0.5],
    [7, 10],
    [120, 200],
  ])('has an axis for %d up to %d', (value, top) => {
    expect(niceTop(value)).toBeCloseTo(top);
  });
});
