import { describe, expect, it } from '@jest/globals';
import {
  deviceNameFault,
  freeDeviceName,
  isSameDeviceName,
  isNumberedAfter,
} from './device-name.ts';

describe('the name of a device', () => {
  it.each([
    ['anns-laptop', null],
    ['Ann’s laptop', null],
    ['笔记本', null],
    ['x'.repeat(64), null],
    ['', 'it is empty'],
    ['  ', 'it is empty'],
    [' ann', 'it begins or ends with a blank'],
    ['a/b', 'it has a slash, a backslash or a control character'],
    ['a\\b', 'it has a slash, a backslash or a control character'],
    ['a\nb', 'it has a slash, a backslash or a control character'],
    ['a\u001b[31m', 'it has a slash, a backslash or a control character'],
    ['a\u202eb', 'it has a slash, a backslash or a control character'],
    ['\ud800', 'it has a slash, a backslash or a control character'],
    ['x'.repeat(65), 'it is longer than 64 bytes'],
    ['ü'.repeat(33), 'it is longer than 64 bytes'],
  ])('is judged: %j has the fault %j', (name, fault) => {
    expect(deviceNameFault(name)).toBe(fault);
  });

  it('is the same in capitals, and composed of other characters', () => {
    expect(isSameDeviceName('Büro', 'bu\u0308ro')).toBe(true);
    expect(isSameDeviceName('laptop', 'laptop-b')).toBe(false);
  });

  it.each([
    ['laptop', [], 'laptop'],
    ['laptop', ['laptop'], 'laptop 2'],
    ['Laptop', ['laptop', 'LAPTOP 2', 'laptop 4'], 'Laptop 3'],
    ['x'.repeat(64), ['x'.repeat(64)], `${'x'.repeat(62)} 2`],
    ['💻'.repeat(16), ['💻'.repeat(16)], `${'💻'.repeat(15)} 2`],
    [`${'x'.repeat(61)} yy`, [`${'x'.repeat(61)} yy`], `${'x'.repeat(61)} 2`],
  ])('is numbered: %j beside %j is %j', (name, taken, free) => {
    expect(freeDeviceName(name, taken)).toBe(free);
    expect(deviceNameFault(free)).toBeNull();
  });
});

it.each([
  ['laptop 2', 'laptop', true],
  ['Laptop 10', 'laptop 9', true],
  ['laptop', 'laptop', false],
  ['laptop', 'laptop 2', false],
  ['laptop 2', 'laptop 2', false],
  ['laptop 2', 'desktop', false],
  ['laptop2', 'laptop', false],
  [' 2', '', true],
])('the name %j is %j with a later number: %j', (name, earlier, is) => {
  expect(isNumberedAfter(name, earlier)).toBe(is);
});
