/** What moved in the last minutes, one way: a line for each class. The table beside it has the same in figures. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { PRIORITY_CLASSES } from '../../../shared/model/priority-class.ts';
import { rateText } from '../view/format.ts';
import type { RateHistory, Direction } from '../view/rate-history.ts';
import { TEXT } from '../view/text.ts';

const HEIGHT = 150;
/** The least that the scale shows: noise of some hundred bytes is no mountain. */
const LEAST_TOP = 10_000;
const SECONDS_SHOWN = 300;
const MINUTES = [-300, -240, -180, -120, -60, 0];
/** Classes differ in their dashes as well as in their colour; the table shows both. */
export const DASHES: readonly number[][] = [[2, 3], [8, 3], [8, 3, 2, 3], [4, 2], [], [1, 4]];

interface GraphProps {
  readonly way: Direction;
  readonly history: RateHistory;
  readonly tick: number;
}

/** Draws the rates of one direction, and draws them again at each new `tick`. */
export function RateGraph({ way, history, tick }: GraphProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const draw = (): void => {
      plot.current?.destroy();
      const options = optionsFor(element, element.clientWidth);
      plot.current = new uPlot(options, history.series(way) as uPlot.AlignedData, element);
    };
    draw();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    addEventListener('themed', draw);
    const observer = new ResizeObserver(() => {
      plot.current?.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      dark.removeEventListener('change', draw);
      removeEventListener('themed', draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [history, way]);

  useEffect(() => {
    plot.current?.setData(history.series(way) as uPlot.AlignedData);
  }, [tick, history, way]);

  const title = way === 'up' ? TEXT.traffic.up : TEXT.traffic.down;
  return (
    <figure class="graph">
      <figcaption>{title}</figcaption>
      <div ref={box} role="img" aria-label={TEXT.traffic.graphLabel(title)} />
    </figure>
  );
}

/** With all minutes below it. */
const LEAST_WIDTH = 420;

function optionsFor(element: Element, width: number): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = { stroke: colour('--quiet'), font: `11px ${style.fontFamily}` };
  const grid = { stroke: colour('--line'), width: 1 };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: () => [-SECONDS_SHOWN, 0] },
      y: { range: (_plot, _least, most) => [0, Math.max(most * 1.1, LEAST_TOP)] },
    },
    axes: [
      {
        ...axis,
        ...{ grid: { show: false }, ticks: { show: false }, size: 26, gap: 9 },
        // Where they would touch each other, the ends alone.
        splits: (plot) => (plot.width < LEAST_WIDTH ? [-SECONDS_SHOWN, 0] : MINUTES),
        values: (_plot, at) => at.map(agoText),
      },
      {
        ...axis,
        ...{ grid, ticks: { show: false }, size: 72 },
        values: (_plot, at) => at.map(rateText),
      },
    ],
    series: [
      {},
      ...PRIORITY_CLASSES.map((name, index) => ({
        label: name,
        stroke: colour(`--class-${index}`),
        width: 2,
        dash: DASHES[index] ?? [],
        points: { show: false },
      })),
    ],
  };
}

const agoText = (seconds: number): string =>
  seconds === 0 ? TEXT.traffic.now : TEXT.traffic.ago(-seconds / 60);
