import type { FoundFile } from '@homeward/contract/device-cloud'
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { providerDisk } from '../disk/lanes.ts'
import type { FolderEntry } from './list-folder.ts'
import type { UnreadParts } from './unread-parts.ts'
import type { WalkedFolder } from './walk-folders.ts'

/**
 * Size and time of a file that matched, or `undefined` when it is gone, unreadable or no longer a regular file. That it is unreadable is noted.
 */
export async function describeFile(
  { folder, root }: WalkedFolder,
  { name, rawName }: Pick<FolderEntry, 'name' | 'rawName'>,
  unread: UnreadParts,
): Promise<FoundFile | undefined> {
  const at = path.join(folder, name)
  try {
    const file = rawName ? Buffer.concat([Buffer.from(path.join(folder, path.sep)), rawName]) : at
    const facts = await providerDisk.run({ at, work: () => lstat(file) })
    if (!facts.isFile()) return undefined
    return {
      path: at.toWellFormed(),
      name: name.toWellFormed(),
      size: facts.size,
      modified: toTimestamp(facts.mtimeMs),
    }
  } catch (error) {
    unread.noteError(error, { path: at, root })
    return undefined
  }
}

const oldestMs = Date.parse('0001-01-01T00:00:00.000Z')
const newestMs = Date.parse('9999-12-31T00:00:00.000Z')

/** A file's time as ISO text. File systems hold times whose year has more than four digits; these are bounded. */
export function toTimestamp(timeMs: number): string {
  const boundedMs = Number.isFinite(timeMs) ? Math.min(Math.max(timeMs, oldestMs), newestMs) : 0
  return new Date(boundedMs).toISOString()
}
