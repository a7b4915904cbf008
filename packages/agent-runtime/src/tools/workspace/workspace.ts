import { lstat } from 'node:fs/promises'
import { listFolder } from './list-folder.ts'
import { openFolder } from './open-folder.ts'
import type { OpenFolderOptions } from './open-folder.ts'
import { parseWorkspacePath } from './parse-workspace-path.ts'
import { readPiece } from './read-piece.ts'
import { fileProblem, refused, toWorkspaceError } from './workspace-error.ts'
import { writeWhole } from './write-whole.ts'

/** How much a workspace may hold. */
export interface WorkspaceLimits {
  /** Largest file that is written, in bytes. @default 5 MiB */
  readonly maxFileBytes: number
  /** Largest sum of all files, in bytes. @default 512 MiB */
  readonly maxBytes: number
  /** Largest number of files and folders. @default 10,000 */
  readonly maxEntries: number
}

/** An entry of a folder in a workspace. */
export interface WorkspaceEntry {
  /** Relative to the workspace. */
  readonly path: string
  readonly type: 'file' | 'folder' | 'other'
  /** Bytes of a file. */
  readonly size?: number
}

/** Part of a file. */
export interface WorkspacePiece {
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
