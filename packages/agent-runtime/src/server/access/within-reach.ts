import type { Reach, Subject } from './reach.ts'

/** The rows that are within the reach of a caller. */
export async function within<Row>(
  rows: readonly Row[],
  { reach }: { readonly reach: Reach },
  subjectOf: (row: Row) => Subject,
): Promise<Row[]> {
  const kept: Row[] = []
  for (const row of rows) if (await reach.has(subjectOf(row))) kept.push(row)
  return kept
}
