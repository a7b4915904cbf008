import type { BigIntStats, Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { TolerantDisk } from '../disk/create-tolerant-disk.ts'

const maxDepth = 4
/** A link may lead to a folder with anything in it. */
const maxFolders = 1000
const maxFiles = 10_000

/**
 * Lists the `.desktop` files in and below a folder, sorted by path. Links to files and folders are followed, because
 * sandboxes export links, and some people link whole folders; each folder is entered once.
 */
export async function listDesktopFiles(folder: string, disk: TolerantDisk): Promise<string[]> {
  const files: string[] = []
  const entered = new Set<string>()

  async function enter(current: string, depth: number): Promise<void> {
    const known = await disk.try(current, () => stat(current, { bigint: true }))
    const id = known && `${known.dev}:${known.ino}`
    if (id === undefined || entered.has(id) || entered.size >= maxFolders) return
    entered.add(id)
    const entries = await disk.try(current, () => readdir(current, { withFileTypes: true }))
    const sorted = (entries ?? []).toSorted((one, other) => (one.name < other.name ? -1 : 1))
    for (const entry of sorted) {
      const file = path.join(current, entry.name)
      const kind: Dirent | BigIntStats | undefined = entry.isSymbolicLink()
        ? await disk.try(file, () => stat(file, { bigint: true }))
        : entry
      if (kind?.isDirectory() && depth < maxDepth) await enter(file, depth + 1)
      if (kind?.isFile() && entry.name.endsWith('.desktop') && files.length < maxFiles) files.push(file)
    }
  }

  await enter(folder, 0)
  return files
}
