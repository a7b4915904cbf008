/** How many rows of a list are given: a whole number from 1 to `most`, whatever was asked for. */
export function boundedLimit(asked: number, most: number): number {
  return Math.min(Math.max(1, Math.trunc(asked) || 1), most)
}
