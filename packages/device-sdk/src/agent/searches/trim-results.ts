import type { SearchResults } from '@homeward/contract/device-cloud'
import { jsonBytes } from '../../json-bytes.ts'

/** Limits of a report (C18). */
export interface TrimLimits {
  /** Most rows of a scope. */
  readonly maxRows: number
  /** Most bytes of all scopes together, as JSON in UTF-8. */
  readonly maxBytes: number
}

/** With what parts it from the next one. */
const sizeOf = (value: unknown) => jsonBytes(value) + 1

/**
 * Cuts results to the limits and says which scopes were cut, in `truncated`.
 *
 * Small scopes stay whole; what they leave is shared by the large ones. A value that is not a list and does not
 * fit is left out.
 */
export function trimResults(
  found: ReadonlyMap<string, unknown>,
  cut: ReadonlySet<string>,
  { maxRows, maxBytes }: TrimLimits,
): SearchResults {
  const truncated = new Set(cut)
  const scopes = [...found].map(([scope, value]) => {
    const rows = Array.isArray(value) && value.length > maxRows ? value.slice(0, maxRows) : value
    if (rows !== value) truncated.add(scope)
    return { scope, value: rows, bytes: sizeOf(rows) + sizeOf(scope) }
  })
  scopes.sort((a, b) => a.bytes - b.bytes)
  const results = new Map<string, unknown>()
  let leftBytes = maxBytes
  for (const [index, { scope, value, bytes }] of scopes.entries()) {
    const shareBytes = leftBytes / (scopes.length - index)
    const fits = bytes <= shareBytes
    if (!fits) truncated.add(scope)
    const kept = fits
      ? value
      : Array.isArray(value)
        ? takeRows(value, shareBytes - sizeOf(scope) - 2)
        : undefined
    if (kept === undefined) continue
    results.set(scope, kept)
    leftBytes -= fits ? bytes : shareBytes
  }
  if (truncated.size > 0)
    results.set('truncated', Object.fromEntries([...truncated].map((scope) => [scope, true])))
  return Object.fromEntries(results)
}

function takeRows(rows: readonly unknown[], maxBytes: number): unknown[] {
  let leftBytes = maxBytes
  const end = rows.findIndex((row) => (leftBytes -= sizeOf(row)) < 0)
  return rows.slice(0, end < 0 ? rows.length : end)
}
