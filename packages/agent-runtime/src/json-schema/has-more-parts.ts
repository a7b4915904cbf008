import type { Json } from '@homeward/contract/agent-platform'

/** Characters of a text that count like one more value: looking at them is that much quicker. */
const charactersOfPart = 64

/** Whether a value holds more than so many values, long texts counted by their pieces. Looks no further than it must. */
export function hasMoreParts(value: Json, limit: number): boolean {
  let left = limit
  const open: Json[] = [value]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    left -= 1
    if (typeof one === 'string') left -= one.length / charactersOfPart
    if (typeof one === 'object' && one !== null) {
      const entries = Array.isArray(one) ? one : Object.values(one)
      if (entries.length > left) return true
      for (const entry of entries) open.push(entry)
    }
    if (left < 0) return true
  }
  return false
}
