import type { ChangedRow, SearchResults } from '@homeward/contract/device-cloud'
import { type AnswerRow, toAnswerRows } from '../searches/answer-rows.ts'

/** Rows that only one of two answers has. A row whose fields differ is another one. */
export function compareResults(
  before: SearchResults,
  after: SearchResults,
): { readonly added: ChangedRow[]; readonly removed: ChangedRow[] } {
  const old = byContent(before)
  const current = byContent(after)
  return { added: without(current, old), removed: without(old, current) }
}

function byContent(results: SearchResults): ReadonlyMap<string, AnswerRow> {
  return new Map(toAnswerRows(results).map((row) => [toKey(row), row]))
}

/** The same text for the same fields, in whatever order they came. */
function toKey({ scope, fields }: AnswerRow): string {
  const sorted = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([scope, sorted])
}

function without(rows: ReadonlyMap<string, AnswerRow>, others: ReadonlyMap<string, unknown>): ChangedRow[] {
  return [...rows].filter(([key]) => !others.has(key)).map(([, { scope, fields }]) => ({ ...fields, scope }))
}
