import { constants } from 'node:fs'
import { lstat, rename, rm } from 'node:fs/promises'
import { openEntry, openParent } from './open-entry.ts'
import type { OpenFolder, OpenFolderOptions } from './open-folder.ts'
import { parseWorkspacePath } from './parse-workspace-path.ts'
import { fileProblem, refused } from './workspace-error.ts'
import type { WorkspaceLimits } from './workspace.ts'
import { join } from 'node:path'
import { readEntries } from './read-entries.ts'

/** Names that files have until they are whole begin with it. */
export const stagingPrefix = '.homeward-staging-'

/** Writes a file whole under another name and renames it, or adds to its end. */
export async function writeWhole(
  root: string,
  path: string,
  content: Uint8Array,
  options: {
    readonly mode: 'replace' | 'append'
    readonly limits: WorkspaceLimits
    readonly createId: () => string
    readonly how: OpenFolderOptions
  },
): Promise<void> {
  const { mode, limits, createId, how } = options
  parseWorkspacePath(path, 'Writing')
  if (content.length > limits.maxFileBytes) throw tooLarge(path, limits)
  const used = await measureFolder(root, limits.maxEntries)
  if (used.entries >= limits.maxEntries)
    throw refused('Writing', path, 'the workspace has too many files. Delete some files')
  if (used.bytes + content.length > limits.maxBytes)
    throw refused('Writing', path, 'the workspace is full. Delete some files')
  const [folder, name] = await openParent(root, path, 'Writing', { ...how, create: true })
  try {
    if (mode === 'replace') await replace(folder, name, stagingPrefix + createId(), content)
    else if (!(await append(folder, name, content, limits.maxFileBytes))) throw tooLarge(path, limits)
  } finally {
    await folder.close()
  }
}

/** @returns false, and adds nothing, when the file would be too large. */
async function append(
  folder: OpenFolder,
  name: string,
  content: Uint8Array,
  maxBytes: number,
): Promise<boolean> {
  const file = await openEntry(folder, name, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT)
  try {
    const { size } = await file.stat()
    if (size + content.length > maxBytes) return false
    await file.writeFile(content)
    return true
  } finally {
    await file.close()
  }
}

async function replace(
  folder: OpenFolder,
  name: string,
  staging: string,
  content: Uint8Array,
): Promise<void> {
  const problem = await lstat(folder.entry(name)).then(fileProblem, () => undefined)
  if (problem !== undefined) throw Object.assign(new Error(problem), { problem })
  try {
    const file = await openEntry(folder, staging, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)
    try {
      await file.writeFile(content)
    } finally {
      await file.close()
    }
    // a rename replaces whatever has the name, a link included, and follows nothing
    await rename(folder.entry(staging), folder.entry(name))
  } catch (error) {
    await rm(folder.entry(staging), { force: true })
    throw error
  }
}

function tooLarge(path: string, { maxFileBytes }: WorkspaceLimits) {
  return refused('Writing', path, `the file must have at most ${maxFileBytes} bytes`)
}

/** What a folder holds. */
interface FolderUse {
  readonly entries: number
  readonly bytes: number
}

/** Counts files and folders and adds up their bytes, entering no link. Stops counting at `maxEntries`. */
async function measureFolder(root: string, maxEntries: number): Promise<FolderUse> {
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
