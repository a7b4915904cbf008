import { constants } from 'node:fs'
import { lstat, mkdir, open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'

const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** A folder inside a workspace that stays the one it was, whatever is renamed or linked meanwhile. */
export interface OpenFolder {
  /** Path under which its entries are reached while it is open. */
  entry(name: string): string
  /** Path under which it is listed while it is open. */
  readonly path: string
  /**
   * To be called once an entry is open, before anything of it is used.
   *
   * @throws {Error} `ELOOP` when the way to it was changed meanwhile.
   */
  confirm(name: string, opened: FileHandle): Promise<void>
  close(): Promise<void>
}

/** How {@link openFolder} goes. */
export interface OpenFolderOptions {
  /** Makes folders that are missing, for this user alone. @default false */
  readonly create?: boolean
  /** Whether entries are reached through descriptors under /proc. @default on Linux */
  readonly descriptors?: boolean
}

/**
 * Opens a folder step by step from a root, following no link on the way.
 *
 * On Linux each step starts from the descriptor of the step before, so what happens to paths meanwhile changes
 * nothing; macOS refuses links anywhere on the way when a file is opened. Elsewhere every step is compared before and
 * after, which leaves a racer very little time.
 *
 * @param root Absolute path of the workspace. It must be a folder itself, no link.
 * @throws {Error} with the system's code: `ENOENT`, `ENOTDIR`, `ELOOP`.
 */
export async function openFolder(
  root: string,
  names: readonly string[],
  options: OpenFolderOptions = {},
): Promise<OpenFolder> {
  const { create = false, descriptors = process.platform === 'linux' } = options
  return descriptors ? await byDescriptors(root, names, create) : await byPaths(root, names, create)
}

async function byDescriptors(root: string, names: readonly string[], create: boolean): Promise<OpenFolder> {
  let folder = await open(root, folderFlags)
  try {
    for (const name of names) {
      const next = await openStep(`/proc/self/fd/${folder.fd}/${name}`, create)
      await folder.close()
      folder = next
    }
  } catch (error) {
    await folder.close()
    throw error
  }
  const path = `/proc/self/fd/${folder.fd}`
  // with a slash and a dot, or the entry of /proc itself, a link, would be looked at
  return {
    path: `${path}/.`,
    entry: (name) => `${path}/${name}`,
    confirm: async () => {},
    close: () => folder.close(),
  }
}

async function openStep(path: string, create: boolean): Promise<FileHandle> {
  if (create) await mkdir(path, { mode: 0o700 }).catch(ignoreExisting)
  return await open(path, folderFlags)
}

async function byPaths(root: string, names: readonly string[], create: boolean): Promise<OpenFolder> {
  const steps: Step[] = []
  let path = root
  for (const name of [undefined, ...names]) {
    if (name !== undefined) path = join(path, name)
    if (create && name !== undefined) await mkdir(path, { mode: 0o700 }).catch(ignoreExisting)
    steps.push({ path, identity: await folderIdentity(path) })
  }
  return {
    path,
    entry: (name) => join(path, name),
    async confirm(name, opened) {
      await compare(steps)
      const [inside, held] = await Promise.all([
        lstat(join(path, name), { bigint: true }),
        opened.stat({ bigint: true }),
      ])
      if (inside.dev !== held.dev || inside.ino !== held.ino) throw changed()
      await compare(steps)
    },
    close: async () => {},
  }
}

interface Step {
  readonly path: string
  readonly identity: string
}

async function compare(steps: readonly Step[]): Promise<void> {
  for (const { path, identity } of steps) if ((await folderIdentity(path)) !== identity) throw changed()
}

async function folderIdentity(path: string): Promise<string> {
  const found = await lstat(path, { bigint: true })
  if (found.isSymbolicLink()) throw changed()
  if (!found.isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' })
  return `${found.dev}:${found.ino}`
}

function changed(): Error {
  return Object.assign(new Error('a link, or changed while it was opened'), { code: 'ELOOP' })
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
}
