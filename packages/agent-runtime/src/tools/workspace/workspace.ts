import { lstat } from 'node:fs/promises'
import { openFolder, type OpenFolderOptions, type OpenFolder } from './open-folder.ts'
import { parseWorkspacePath, maxDepth } from './parse-workspace-path.ts'
import { fileProblem, refused, toWorkspaceError } from './workspace-error.ts'
import { writeWhole, stagingPrefix } from './write-whole.ts'
import { constants, type Dirent } from 'node:fs'
import { openEntry, openParent } from './open-entry.ts'
import { firstEntries } from './read-entries.ts'
import { isResultName, resultsFolder } from './stored-results.ts'

/** Size limits of a workspace. */
export interface WorkspaceLimits {
  /** Maximum size of a written file, in bytes. @default 5 MiB */
  readonly maxFileBytes: number
  /** Maximum size of all files together, in bytes. @default 512 MiB */
  readonly maxBytes: number
  /** Maximum number of files and folders. @default 10,000 */
  readonly maxEntries: number
}

/** An entry of a folder in a workspace. */
interface WorkspaceEntry {
  /** Relative to the workspace. */
  readonly path: string
  readonly type: 'file' | 'folder' | 'other'
  /** Bytes of a file. */
  readonly size?: number
}

/** Part of a file. */
interface WorkspacePiece {
  readonly bytes: Uint8Array
  /** Bytes of the whole file. */
  readonly size: number
}

/**
 * The folder of an agent, and the only one that its tools for files reach: no path, no link, no device and no race
 * leads out. Paths are relative, with `/`.
 */
export interface Workspace {
  /** Reads up to `maxBytes` from `offset`. @throws {RuntimeError} `validation_error` */
  read(path: string, offset: number, maxBytes: number): Promise<WorkspacePiece>
  /** Writes a file whole, or adds to its end. Folders are made. @throws {RuntimeError} `validation_error` */
  write(path: string, content: Uint8Array, mode: 'replace' | 'append'): Promise<void>
  /** Entries of a folder by name, up to `maxEntries`. @throws {RuntimeError} `validation_error` */
  list(path: string, recursive: boolean, maxEntries: number): Promise<WorkspaceEntry[]>
  /**
   * Checks a path that a program is going to open. What is missing may be missing; what is there must be no link.
   *
   * @returns the path without detours.
   * @throws {RuntimeError} `validation_error`
   */
  check(path: string): Promise<string>
}

const defaults: WorkspaceLimits = {
  maxFileBytes: 5 * 1024 * 1024,
  maxBytes: 512 * 1024 * 1024,
  maxEntries: 10_000,
}

/** Settings of {@link openWorkspace}. */
export interface WorkspaceOptions extends Partial<WorkspaceLimits>, Pick<OpenFolderOptions, 'descriptors'> {
  /** Makes a name that no other file has. @default crypto.randomUUID */
  readonly createId?: () => string
}

/** Gives tools the files of one folder. @param root Absolute path of it. It exists, and is no link. */
export function openWorkspace(root: string, options: WorkspaceOptions = {}): Workspace {
  const limits = { ...defaults, ...options }
  const { createId = () => crypto.randomUUID(), descriptors } = options
  const how = descriptors === undefined ? {} : { descriptors }
  return {
    read: (path, offset, maxBytes) =>
      readPiece(root, path, { offset, maxBytes }, how).catch(toWorkspaceError('Reading', path)),
    write: (path, content, mode) =>
      writeWhole(root, path, content, { mode, limits, createId, how }).catch(
        toWorkspaceError('Writing', path),
      ),
    async list(path, recursive, maxEntries) {
      const names = parseWorkspacePath(path, 'Listing')
      return await listFolder(root, names, { recursive, maxEntries, how }).catch(
        toWorkspaceError('Listing', path),
      )
    },
    async check(path) {
      const names = parseWorkspacePath(path, 'Using')
      if (names.length === 0) return '.'
      await checkEntry(root, names, path, how).catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
        toWorkspaceError('Using', path)(error)
      })
      return names.join('/')
    },
  }
}

async function checkEntry(
  root: string,
  names: readonly string[],
  path: string,
  how: OpenFolderOptions,
): Promise<void> {
  const folder = await openFolder(root, names.slice(0, -1), how)
  try {
    const found = await lstat(folder.entry(names.at(-1) ?? '.'))
    const problem = found.isDirectory() ? undefined : fileProblem(found)
    if (problem !== undefined) throw refused('Using', path, problem)
  } finally {
    await folder.close()
  }
}

/** Reads part of a file. */
async function readPiece(
  root: string,
  path: string,
  { offset, maxBytes }: { readonly offset: number; readonly maxBytes: number },
  how: OpenFolderOptions,
): Promise<WorkspacePiece> {
  const [folder, name] = await openParent(root, path, 'Reading', how)
  try {
    const file = await openEntry(folder, name, constants.O_RDONLY)
    try {
      const { size } = await file.stat()
      const bytes = Buffer.alloc(Math.max(0, Math.min(maxBytes, size - offset)))
      let filled = 0
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, offset + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return { bytes: bytes.subarray(0, filled), size }
    } finally {
      await file.close()
    }
  } finally {
    await folder.close()
  }
}

/**
 * Lists a folder by name, folders in it where they stand. Stored results are left out. What is a link is named and not entered, nor is a folder so
 * deep that nothing in it could be asked for: each level that is entered keeps one more folder open.
 */
async function listFolder(
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
