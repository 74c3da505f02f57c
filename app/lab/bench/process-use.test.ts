import { expect, it } from '@jest/globals';
import { cpuSeconds, residentBytes } from './process-use.ts';

it('the use of CPU and memory is measured for this process', () => {
  const { user, system } = process.cpuUsage();
  expect(Math.abs(cpuSeconds(process.pid) - (user + system) / 1e6)).toBeLessThan(1);
  expect(residentBytes(process.pid)).toBeGreaterThan(10e6);
});

it('the use of a missing process is reported as not running', () => {
  expect(() => cpuSeconds(2 ** 30)).toThrow(expect.objectContaining({ code: 'not-running' }));
  expect(() => residentBytes(2 ** 30)).toThrow(expect.objectContaining({ code: 'not-running' }));
});
