import { lastMs, toTimestamp } from '../cloud-context.ts'

/** A moment as stored ones are written, to compare it with them. Fractions of a millisecond are dropped. */
export function toUtc(moment: string): string {
  return toTimestamp(Math.min(Date.parse(moment), lastMs))
}
