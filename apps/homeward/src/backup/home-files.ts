import { constants, type Dirent } from 'node:fs'
import { lstat, open, readdir, realpath, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of a data home. */
export interface HomeFile {
  /** Relative to the data home, with `/` between its parts. */
  readonly name: string
  readonly handle: FileHandle
  readonly mode: number
}

/** What programs of agents may write: a link there is not the operator's. */
const ofPrograms: ReadonlySet<string> = new Set(['workspaces', 'user-workspaces'])

/**
 * Opens the files of a data home one after another. Links of the operator, such as a folder on another disk, are followed.
 * Links inside workspaces are left out, also one that takes the place of a file while this runs.
 *
 * @param isSkipped - whether a name is left out without being opened
 * @param onLink - told of each link that is left out
 * @throws {Error} that names a link to nothing, or a file that cannot be read
 */
export async function* openHomeFiles(
  home: string,
  isSkipped: (name: string, path: string) => boolean,
  onLink: (name: string) => void,
): AsyncGenerator<HomeFile> {
  const seen = new Set<string>()

  async function* walk(folder: string, prefix: string, isCareful: boolean): AsyncGenerator<HomeFile> {
    if (!isCareful && seen.has(folder)) return // a link that leads back
    seen.add(folder)
    for (const entry of await listFolder(folder, prefix)) {
      const name = prefix + entry.name
      const path = join(folder, entry.name)
      if (isSkipped(name, path)) continue
      if (entry.isFile()) yield* openFile(path, name, isCareful)
      else if (entry.isDirectory()) yield* walk(path, `${name}/`, isCareful || ofPrograms.has(name))
      else if (entry.isSymbolicLink() && isCareful) onLink(name)
      else if (entry.isSymbolicLink()) yield* follow(path, name)
    }
  }

  async function* follow(path: string, name: string): AsyncGenerator<HomeFile> {
    const target = await realpath(path).catch((cause: unknown) => {
      throw new Error(
        `Creating the backup failed: the link ${path} leads to nothing. Correct or remove it.`,
        {
          cause,
        },
      )
    })
    if ((await stat(target)).isDirectory()) yield* walk(target, `${name}/`, ofPrograms.has(name))
    else yield* openFile(target, name, false)
  }

  yield* walk(await realpath(home), '', false)
}

/** A folder that went away has no entries. */
async function listFolder(folder: string, prefix: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (prefix !== '' && isGone(error)) return []
    throw unreadable(folder, error)
  }
}

async function* openFile(path: string, name: string, isCareful: boolean): AsyncGenerator<HomeFile> {
  const handle = await openPlain(path)
  if (!handle) return
  try {
    const found = await handle.stat()
    if (!found.isFile() || (isCareful && !(await isStill(path, found)))) return
    yield { name, handle, mode: found.mode & 0o777 }
  } finally {
    await handle.close()
  }
}

/** A file that may not be read must not be missing from a backup without a word. */
async function openPlain(path: string): Promise<FileHandle | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  try {
    return await open(path, flags)
  } catch (error) {
    if (isGone(error)) return undefined
    throw unreadable(path, error)
  }
}

/** Whether the file that was opened is the one at this path, without a link on the way there. */
async function isStill(
  path: string,
  opened: { readonly ino: number; readonly dev: number },
): Promise<boolean> {
  try {
    if ((await realpath(path)) !== path) return false
    const now = await lstat(path)
    return now.ino === opened.ino && now.dev === opened.dev
  } catch {
    return false
  }
}

/** Also for what became a link, or no folder, in the meantime. */
const isGone = (error: unknown) =>
  ['ENOENT', 'ELOOP', 'EMLINK', 'ENOTDIR', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')

const unreadable = (path: string, cause: unknown) =>
  new Error(`Creating the backup failed: ${path} cannot be read. Correct its owner or permissions.`, {
    cause,
  })
