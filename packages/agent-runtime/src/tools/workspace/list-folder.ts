import { lstat } from 'node:fs/promises'
import type { Dirent } from 'node:fs'
import { openFolder } from './open-folder.ts'
import type { OpenFolder, OpenFolderOptions } from './open-folder.ts'
import { maxDepth } from './parse-workspace-path.ts'
import { firstEntries } from './read-entries.ts'
import { isResultName, resultsFolder } from './stored-results.ts'
import type { WorkspaceEntry } from './workspace.ts'
import { stagingPrefix } from './write-whole.ts'

/**
 * Lists a folder by name, folders in it where they stand. Stored results are left out. What is a link is named and not entered, nor is a folder so
 * deep that nothing in it could be asked for: each level that is entered keeps one more folder open.
 */
export async function listFolder(
  root: string,
  names: readonly string[],
  options: { readonly recursive: boolean; readonly maxEntries: number; readonly how: OpenFolderOptions },
): Promise<WorkspaceEntry[]> {
  const listed: WorkspaceEntry[] = []
  const enter = async (names: readonly string[]): Promise<void> => {
    const folder = await openFolder(root, names, options.how)
    try {
      const room = options.maxEntries - listed.length
      for (const entry of await firstEntries(folder.path, room, isShownIn(names))) {
        if (listed.length >= options.maxEntries) return
        listed.push(await describe(folder, entry, [...names, entry.name].join('/')))
        const isEntered = options.recursive && entry.isDirectory() && names.length + 1 < maxDepth
        // what was swapped for a link or removed meanwhile is not entered
        if (isEntered) await enter([...names, entry.name]).catch(() => undefined)
      }
    } finally {
      await folder.close()
    }
  }
  await enter(names)
  return listed
}

const isShownIn = (names: readonly string[]) => {
  const hasResults = names.length === 1 && names[0] === resultsFolder
  return ({ name }: Dirent) => !name.startsWith(stagingPrefix) && !(hasResults && isResultName(name))
}

async function describe(folder: OpenFolder, entry: Dirent, path: string): Promise<WorkspaceEntry> {
  if (entry.isDirectory()) return { path, type: 'folder' }
  if (!entry.isFile()) return { path, type: 'other' }
  const size = await lstat(folder.entry(entry.name)).then(
    (file) => file.size,
    () => 0,
  )
  return { path, type: 'file', size }
}
