import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../json/json-object.ts'
import { cut } from '../json/to-json.ts'

/** Bytes of JSON that a list may take in a prompt: at most 2,000 tokens, since each later model call reads it again. */
export const maxListBytes = 6000
const maxFieldCharacters = 200
const maxCounts = 20

/** The first rows of a list, and what is needed to ask for less or for the rest. */
interface FirstRows {
  readonly rows: Json[]
  /** Number of rows before this one that fit. */
  readonly next_offset?: number
}

/** As many rows from `offset` on as fit into `maxBytes`, at least one; long texts in them are cut. */
export function firstRows(rows: readonly Json[], offset = 0, maxBytes = maxListBytes - 1000): FirstRows {
  const kept: Json[] = []
  let bytes = 0
  for (const row of rows.slice(offset)) {
    const short = shorten(row)
    bytes += Buffer.byteLength(JSON.stringify(short)) + 1
    if (bytes > maxBytes && kept.length > 0) break
    kept.push(short)
  }
  const next = offset + kept.length
  return next < rows.length ? { rows: kept, next_offset: next } : { rows: kept }
}

/** How many rows have each value of a field; rare values are put together. */
export function countBy(rows: readonly Json[], field: string): JsonObject {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const value = isJsonObject(row) ? row[field] : undefined
    const name = cut(typeof value === 'string' ? value : JSON.stringify(value ?? null), 50)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a)
  const others = sorted.slice(maxCounts).reduce((sum, [, count]) => sum + count, 0)
  return Object.fromEntries([
    ...sorted.slice(0, maxCounts),
    ...(others > 0 ? [['(others)', others] as const] : []),
  ])
}

/** Only these fields of a row. */
export function pickFields(row: Json, fields: readonly string[]): Json {
  if (!isJsonObject(row) || fields.length === 0) return row
  return Object.fromEntries(
    fields.flatMap((field) => (row[field] === undefined ? [] : [[field, row[field]]])),
  )
}

function shorten(value: Json): Json {
  if (typeof value === 'string') return cut(value, maxFieldCharacters)
  if (!isJsonObject(value))
    return Array.isArray(value) ? cut(JSON.stringify(value), maxFieldCharacters) : value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      typeof one === 'object' && one !== null ? cut(JSON.stringify(one), maxFieldCharacters) : shorten(one),
    ]),
  )
}
