import type { FoundFile } from '@homeward/contract/device-cloud'
import type { Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import path from 'node:path'

/** Size and time of a file that matched, or `undefined` when it is gone, unreadable or no longer a plain file. */
export async function describeFile(folder: string, name: string): Promise<FoundFile | undefined> {
  try {
    const facts = await statEntry(folder, name)
    if (!facts.isFile()) return undefined
    return {
      path: path.join(folder, name).toWellFormed(),
      name: name.toWellFormed(),
      size: facts.size,
      modified: toTimestamp(facts.mtimeMs),
    }
  } catch {
    return undefined
  }
}

// A name that is not valid UTF-8 arrives with U+FFFD in it, and under that name no file exists.
async function statEntry(folder: string, name: string): Promise<Stats> {
  try {
    return await lstat(path.join(folder, name))
  } catch (error) {
    if (!name.includes('\uFFFD')) throw error
    const raw = (await readdir(folder, { encoding: 'buffer' })).find((entry) => entry.toString() === name)
    if (raw === undefined) throw error
    return await lstat(Buffer.concat([Buffer.from(folder + path.sep), raw]))
  }
}

const oldestMs = Date.parse('0001-01-01T00:00:00.000Z')
const newestMs = Date.parse('9999-12-31T00:00:00.000Z')

/** A file's time as ISO text. File systems hold times whose year has more than four digits; these are bounded. */
export function toTimestamp(timeMs: number): string {
  const boundedMs = Number.isFinite(timeMs) ? Math.min(Math.max(timeMs, oldestMs), newestMs) : 0
  return new Date(boundedMs).toISOString()
}
