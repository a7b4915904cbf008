import type { FoundFile } from '@homeward/contract/device-cloud'
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { providerDisk } from '../disk/lanes.ts'
import type { FolderEntry } from './list-folder.ts'
import type { UnreadParts } from './unread-parts.ts'
import type { WalkedFolder } from './walk-folders.ts'

/**
 * Size and time of a file or folder that matched, or `undefined` if it is gone, unreadable or something else now. That it is
 * unreadable is noted.
 */
export async function describeFile(
  { folder, root }: WalkedFolder,
  entry: FolderEntry,
  unread: UnreadParts,
  signal?: AbortSignal,
): Promise<FoundFile | undefined> {
  const { name, rawName } = entry
  const at = path.join(folder, name)
  try {
    const file = rawName ? Buffer.concat([Buffer.from(path.join(folder, path.sep)), rawName]) : at
    const facts = await providerDisk.run({ at, work: () => lstat(file) }, signal)
    const isFolder = entry.isDirectory()
    if (isFolder ? !facts.isDirectory() : !facts.isFile()) return undefined
    return {
      path: at.toWellFormed(),
      name: name.toWellFormed(),
      size: isFolder ? 0 : facts.size,
      modified: toTimestamp(facts.mtimeMs),
      ...(isFolder && { kind: 'folder' }),
    }
  } catch (error) {
    if (signal?.aborted !== true) unread.noteError(error, { path: at, root })
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
