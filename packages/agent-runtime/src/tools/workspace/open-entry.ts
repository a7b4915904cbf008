import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { openFolder } from './open-folder.ts'
import type { OpenFolder, OpenFolderOptions } from './open-folder.ts'
import { parseWorkspacePath } from './parse-workspace-path.ts'
import { fileProblem, refused } from './workspace-error.ts'

/** O_NOFOLLOW_ANY of macOS: no link anywhere on the way. Node has no name for it. */
const noLinks = process.platform === 'darwin' ? 0x2000_0000 : 0
const careful = noLinks | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Opens a plain file that has no second name. A pipe does not make it wait, a link is not followed. */
export async function openEntry(folder: OpenFolder, name: string, flags: number): Promise<FileHandle> {
  const file = await open(folder.entry(name), flags | careful, 0o600)
  try {
    await folder.confirm(name, file)
    const problem = fileProblem(await file.stat())
    if (problem !== undefined) throw Object.assign(new Error(problem), { problem })
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Opens the folder that the last name of a path lies in. */
export async function openParent(
  root: string,
  path: string,
  purpose: string,
  options: OpenFolderOptions,
): Promise<[OpenFolder, string]> {
  const names = parseWorkspacePath(path, purpose)
  const name = names.pop()
  if (name === undefined) throw refused(purpose, path, 'the path is the workspace itself')
  return [await openFolder(root, names, options), name]
}
