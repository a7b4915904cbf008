import path from 'node:path'
import { createTurns, type FolderEntry, listFolder } from './list-folder.ts'
import type { UnreadParts } from './unread-parts.ts'

/** Where an entry was met. */
export interface WalkedFolder {
  readonly folder: string
  readonly root: string
}

/** How a walk is bounded. */
export interface WalkOptions {
  readonly roots: readonly string[]
  /** Folders read at the same time. */
  readonly concurrency: number
  /** Called for each regular file. */
  readonly onFile: (entry: FolderEntry, where: WalkedFolder) => void
  /** Called for each folder below the roots. @default nothing is done */
  readonly onInnerFolder?: (entry: FolderEntry, where: WalkedFolder) => void
  /** Called when all entries of a folder were visited. The walk goes on when it resolves; it must not reject. */
  readonly onFolder?: (where: WalkedFolder) => Promise<void>
  /** Gets the folders that could not be read. */
  readonly unread: UnreadParts
  /** Called for each entry and before each folder; true ends the walk. */
  readonly isOver: () => boolean
  /** Ends the walk, even while a disk call does not return. */
  readonly signal: AbortSignal
}

const virtualFolders = new Set(process.platform === 'linux' ? ['/proc', '/sys', '/dev'] : [])

/**
 * Visits the regular files under some folders, several folders at a time.
 *
 * Links, sockets, pipes and devices are passed over, and so are the folders in which Linux shows processes and devices as
 * files, unless one of them is a root. Folders that cannot be read are noted.
 */
export async function walkFolders(options: WalkOptions): Promise<void> {
  const { roots, concurrency, onFile, isOver, unread, signal } = options
  // Newest first: deep before wide keeps the list of waiting folders short.
  const waiting: WalkedFolder[] = roots.map((root) => ({ folder: root, root })).toReversed()
  const turns = createTurns()
  const enter = ({ name, rawName }: FolderEntry, { folder, root }: WalkedFolder): void => {
    const inner = path.join(folder, name)
    // Its name cannot be written as text, so nothing could be asked for by its path.
    if (rawName) unread.note('other', { path: inner, root })
    else if (!virtualFolders.has(inner)) waiting.push({ folder: inner, root })
  }
  const visit = (entry: FolderEntry, where: WalkedFolder): boolean => {
    if (isOver()) return false
    if (entry.isFile()) onFile(entry, where)
    else if (entry.isDirectory()) {
      options.onInnerFolder?.(entry, where)
      enter(entry, where)
    }
    return true
  }
  const readFolder = async (where: WalkedFolder): Promise<void> => {
    try {
      await listFolder(where.folder, (entry) => visit(entry, where), turns, signal)
    } catch (error) {
      // Not allowed, gone meanwhile, or its name is too long: the rest is still worth finding.
      unread.noteError(error, { path: where.folder, root: where.root })
    }
    await options.onFolder?.(where)
  }
  await drain(waiting, { concurrency, isOver, readFolder })
}

interface DrainOptions {
  readonly concurrency: number
  readonly isOver: () => boolean
  readonly readFolder: (where: WalkedFolder) => Promise<void>
}

function drain(waiting: WalkedFolder[], { concurrency, isOver, readFolder }: DrainOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let active = 0
    const next = (): void => {
      while (active < concurrency && waiting.length > 0 && !isOver()) {
        const where = waiting.pop()
        if (where === undefined) break
        active += 1
        readFolder(where).then(() => {
          active -= 1
          next()
        }, reject)
      }
      if (active === 0) resolve()
    }
    next()
  })
}
