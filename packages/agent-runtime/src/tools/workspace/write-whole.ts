import { constants } from 'node:fs'
import { lstat, rename, rm } from 'node:fs/promises'
import { measureFolder } from './measure-folder.ts'
import { openEntry, openParent } from './open-entry.ts'
import type { OpenFolder, OpenFolderOptions } from './open-folder.ts'
import { parseWorkspacePath } from './parse-workspace-path.ts'
import { fileProblem, refused } from './workspace-error.ts'
import type { WorkspaceLimits } from './workspace.ts'

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
