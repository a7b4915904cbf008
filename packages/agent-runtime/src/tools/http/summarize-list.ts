import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../../json/json-object.ts'
import type { HttpToolDefinition } from '../../skills/definitions/tool-definition.ts'
import { countBy, firstRows, maxListBytes, pickFields } from '../first-rows.ts'

/** Largest list that is read, in bytes: of one that is cut, nothing could be counted. */
export const maxListReplyBytes = 8 * 1024 * 1024

/**
 * Makes a long list short enough for a prompt: counts, the first rows, and how to narrow it. Arguments with the place
 * `row` choose rows: by a part of a text, or by the whole value where the definition names the values. A short list that
 * nobody narrowed stays as it is.
 */
export function summarizeList(data: Json, definition: HttpToolDefinition, args: JsonObject): Json {
  const { list } = definition
  const rows = list && (list.rows === '' ? data : isJsonObject(data) ? data[list.rows] : undefined)
  if (!list) return data
  if (!Array.isArray(rows)) return trimLists(data)
  const filters = filtersOf(definition)
  const used = Object.keys(filters).filter((name) => args[name] !== undefined)
  const offset = typeof args['offset'] === 'number' ? args['offset'] : 0
  const isShort = bytesOf(data) <= maxListBytes
  if (isShort && used.length === 0 && offset === 0) return data
  const chosen = rows.filter((row) =>
    used.every((name) => matches(row, name, args[name], filters[name] ?? {})),
  )
  const { rows: first, next_offset } = firstRows(
    chosen.map((row) => pickFields(row, list.fields)),
    offset,
  )
  const rest = isJsonObject(data) ? data['nextCursor'] : undefined
  const total = totalOf(data, rows.length)
  return {
    total,
    ...(used.length > 0 && { matching: chosen.length }),
    ...(total !== rows.length && { counted: rows.length }),
    counts: Object.fromEntries(list.countBy.map((field) => [field, countBy(chosen, field)])),
    [list.rows || 'rows']: first,
    ...(next_offset !== undefined && { next_offset, narrow: narrowText(narrowingOf(definition)) }),
    ...(typeof rest === 'string' && { nextCursor: rest }),
  }
}

/** How many rows there are: a service that gives them in pages may say so itself. */
function totalOf(data: Json, read: number): Json {
  const total = isJsonObject(data) ? data['total'] : undefined
  return typeof total === 'number' ? total : read
}

const narrowText = (filters: readonly string[]) =>
  `Only the first rows are shown. ${filters.length > 0 ? `Narrow the list with ${filters.join(', ')}, or c` : 'C'}ontinue with "offset".`

/** Parameters that choose rows, by their names. */
function filtersOf(definition: HttpToolDefinition): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(propertiesOf(definition).filter(([, property]) => property['in'] === 'row'))
}

/** Parameters that make a list shorter, here or at the service. */
function narrowingOf(definition: HttpToolDefinition): string[] {
  return propertiesOf(definition).flatMap(([name, property]) => {
    const isFilter = property['in'] === 'row' || (property['in'] === 'query' && !placeNames.has(name))
    return isFilter ? [name] : []
  })
}

/** Parameters by which services give one part of a list after the other. */
const placeNames = new Set(['limit', 'cursor', 'page'])

function propertiesOf({ inputSchema }: HttpToolDefinition): [string, JsonObject][] {
  const properties = isJsonObject(inputSchema['properties']) ? inputSchema['properties'] : {}
  return Object.entries(properties).flatMap(([name, property]) =>
    name !== 'offset' && isJsonObject(property) ? [[name, property]] : [],
  )
}

function matches(row: Json, field: string, wanted: Json | undefined, property: JsonObject): boolean {
  const value = isJsonObject(row) ? row[field] : undefined
  if (property['enum'] !== undefined || typeof value !== 'string' || typeof wanted !== 'string')
    return value === wanted
  return value.toLowerCase().includes(wanted.toLowerCase())
}

/** Of an answer with lists inside it, such as results of several devices: as many rows of each as fit. */
function trimLists(data: Json): Json {
  if (bytesOf(data) <= maxListBytes || !hasLists(data)) return data
  for (let rows = 64; rows >= 1; rows = Math.floor(rows / 2)) {
    const short = trim(data, rows)
    if (bytesOf(short) > maxListBytes - 500 && rows > 1) continue
    return { shortened: trimNote, ...(isJsonObject(short) ? short : { data: short }) }
  }
  return data
}

const trimNote =
  'Only the first rows of long lists are shown: "total" counts all. Ask for less to see the others.'
const bytesOf = (value: Json) => Buffer.byteLength(JSON.stringify(value))

const hasLists = (value: Json): boolean =>
  Array.isArray(value) || (isJsonObject(value) && Object.values(value).some(hasLists))

/** Long lists become their length and their first rows. */
function trim(value: Json, rows: number): Json {
  if (Array.isArray(value)) {
    const first = value.slice(0, rows).map((row) => trim(row, rows))
    return value.length > rows ? { total: value.length, rows: first } : first
  }
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, trim(one, rows)]))
}
