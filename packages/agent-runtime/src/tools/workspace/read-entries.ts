import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'

/** Entries that are read before others get their turn. */
const entriesAtOnce = 500

/**
 * The entries of a folder, in no order and a few at a time: programs may leave millions there, which nobody is to read
 * at once.
 *
 * @param isForgiving Whether a folder that cannot be read counts as empty.
 */
export async function* readEntries(path: string, isForgiving = false): AsyncGenerator<Dirent, void> {
  try {
    yield* await opendir(path, { bufferSize: entriesAtOnce })
  } catch (error) {
    if (!isForgiving) throw error
  }
}

/** Those of the entries that come first by their names, and are wanted. It keeps a few more than asked for in memory. */
export async function firstEntries(
  path: string,
  count: number,
  isWanted: (entry: Dirent) => boolean,
): Promise<Dirent[]> {
  let first: Dirent[] = []
  for await (const entry of readEntries(path)) {
    if (!isWanted(entry)) continue
    first.push(entry)
    if (first.length >= 2 * count + entriesAtOnce) first = byName(first).slice(0, count)
  }
  return byName(first).slice(0, count)
}

const byName = (entries: readonly Dirent[]) => entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
