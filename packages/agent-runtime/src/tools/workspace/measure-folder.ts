import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { readEntries } from './read-entries.ts'

/** What a folder holds. */
export interface FolderUse {
  readonly entries: number
  readonly bytes: number
}

/** Counts files and folders and adds up their bytes, entering no link. Stops counting at `maxEntries`. */
export async function measureFolder(root: string, maxEntries: number): Promise<FolderUse> {
  const folders = [root]
  let entries = 0
  let bytes = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of readEntries(folder, true)) {
      entries += 1
      if (entries >= maxEntries) return { entries, bytes }
      const path = join(folder, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) bytes += await sizeOf(path)
    }
  }
  return { entries, bytes }
}

async function sizeOf(path: string): Promise<number> {
  return await lstat(path).then(
    (file) => file.size,
    () => 0,
  )
}
