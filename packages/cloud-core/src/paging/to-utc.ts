import { lastMs, toTimestamp } from '../cloud-context.ts'

/** A moment as stored ones are written, to compare it with them. What is finer than a millisecond is dropped. */
export function toUtc(moment: string): string {
  return toTimestamp(Math.min(Date.parse(moment), lastMs))
}
