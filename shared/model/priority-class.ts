/**
 * The six priority classes of RPCs, most urgent first (MFS, section 2.2).
 *
 * Scheduling is strict between classes and first-in first-out within one, except for contents that a program waits for (shared/ports/transport.ts, 3):
 * there is no mode and no threshold. The ordinals travel on the wire and are never reused.
 */
export const PRIORITY_CLASSES = [
  'VALIDATE',
  'FETCH',
  'STORE_ATTR',
  'STORE_FAST',
  'STORE_DATA',
  'PREFETCH',
] as const;

export type PriorityClass = (typeof PRIORITY_CLASSES)[number];

/** 0 is the most urgent. */
export function urgency(priorityClass: PriorityClass): number {
  return PRIORITY_CLASSES.indexOf(priorityClass);
}

/** The class with the given urgency, or null where there is none. */
export function classOfUrgency(ordinal: number): PriorityClass | null {
  return PRIORITY_CLASSES[ordinal] ?? null;
}

/** The more urgent of two classes: what is waited for inherits the class of what waits (rule W1). */
export function moreUrgent(a: PriorityClass, b: PriorityClass): PriorityClass {
  return urgency(a) <= urgency(b) ? a : b;
}
