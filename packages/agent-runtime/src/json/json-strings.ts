import type { Json } from '@homeward/contract/agent-platform'

/**
 * Whether a text in a value, names of its fields too, is such a one. Texts with less than `length` characters are none.
 * Makes nothing, so it is cheap to ask.
 */
export function someString(value: Json, length: number, is: (text: string) => boolean): boolean {
  if (typeof value === 'string') return value.length >= length && is(value)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((entry) => someString(entry, length, is))
  // not Object.keys: this is asked for every event, and JSON inherits nothing
  for (const key in value) {
    if ((key.length >= length && is(key)) || someString(value[key] ?? null, length, is)) return true
  }
  return false
}

/** The same value with other texts, names of its fields too; the very same when none changes. */
export function mapStrings(value: Json, map: (text: string) => string): Json {
  if (typeof value === 'string') return map(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return mapArray(value, (entry) => mapStrings(entry, map))
  const mapped = mapObject(value, (entry) => mapStrings(entry, map))
  const renamed = Object.entries(mapped).map(([key, entry]) => [map(key), entry] as const)
  return renamed.some(([key]) => !Object.hasOwn(mapped, key)) ? Object.fromEntries(renamed) : mapped
}

function mapArray(values: Json[], map: (value: Json) => Json): Json[] {
  const mapped = values.map((value) => map(value))
  return mapped.some((value, index) => value !== values[index]) ? mapped : values
}

/** An object with other entries; the very same when none changes. */
export function mapObject(
  value: { [key: string]: Json },
  map: (entry: Json, key: string) => Json,
): { [key: string]: Json } {
  let changed = false
  const entries = Object.entries(value).map(([key, entry]) => {
    const mapped = map(entry, key)
    if (mapped !== entry) changed = true
    return [key, mapped] as const
  })
  return changed ? Object.fromEntries(entries) : value
}
