import { expect, it } from '@jest/globals';
import { cpuSeconds, residentBytes } from './process-use.ts';

it('tells what this process takes', () => {
  const { user, system } = process.cpuUsage();
  expect(Math.abs(cpuSeconds(process.pid) - (user + system) / 1e6)).toBeLessThan(1);
  expect(residentBytes(process.pid)).toBeGreaterThan(10e6);
});

it('says so where there is no such process', () => {
  expect(() => cpuSeconds(2 ** 30)).toThrow(expect.objectContaining({ code: 'not-running' }));
  expect(() => residentBytes(2 ** 30)).toThrow(expect.objectContaining({ code: 'not-running' }));
});
