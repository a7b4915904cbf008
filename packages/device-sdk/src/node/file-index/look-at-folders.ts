import path from 'node:path'
import { providerDisk } from '../disk/lanes.ts'
import { createTurns } from '../file-search/list-folder.ts'
import { unreadReasonOf } from '../file-search/unread-parts.ts'
import { virtualFolders } from '../file-search/walk-folders.ts'
import { isInside, resolveRoots } from '../roots/resolve-roots.ts'
import { type FolderEntries, folderReader } from './folder-reader.ts'
import {
  type FileFacts,
  type FileInFolder,
  type FolderContent,
  type IndexDatabase,
  isDamage,
  type KnownFolder,
  type UnknownFile,
} from './index-database.ts'

/** What a look works with. */
interface LookOptions {
  readonly index: IndexDatabase
  readonly roots: readonly string[]
  readonly now: () => number
  /** Whether every folder is listed, also those whose time has not changed. */
  readonly isFull: boolean
}

/** A folder that changed this short a time ago may change again without another time. */
const unsettledMs = 2000
const foldersAtOnce = 4

/**
 * Brings the index up to the disk: lists the folders whose time has changed, and those that are new. Its changes up to
 * the time it ends, or its process is killed, are right; the next look finds the rest.
 *
 * @returns the folders at the top that it has seen whole; undefined if it was ended before.
 */
export async function lookAtFolders(
  options: LookOptions,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { index, roots } = options
  const { tops, hasLost } = await findTops(index, roots, signal)
  const waiting = tops.map(({ id }) => id)
  const visit = async (id: number): Promise<void> => {
    const folder = index.byId(id)
    // one by one: a folder may have more folders than a call takes arguments
    if (folder) for (const inner of await lookAtFolder(folder, options, signal)) waiting.push(inner.id)
  }
  const work = async (): Promise<void> => {
    // Newest first: deep before wide keeps the list of waiting folders short.
    for (let id = waiting.pop(); id !== undefined && !signal.aborted; id = waiting.pop()) await visit(id)
  }
  try {
    while (waiting.length > 0 && !signal.aborted)
      await Promise.all(Array.from({ length: foldersAtOnce }, work))
    index.commit()
    await purge(index, hasLost, signal)
  } catch (error) {
    index.rollback()
    throw error
  }
  return signal.aborted ? undefined : tops.map((top) => top.path)
}

/** The folders at the top, as the roots are now. Folders of other roots are given up. */
async function findTops(
  index: IndexDatabase,
  roots: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly tops: readonly KnownFolder[]; readonly hasLost: boolean }> {
  const { folders, missing, silent } = await resolveRoots(roots, signal)
  // A drive that is not mounted comes back. Nothing below it is found meanwhile.
  const absent = [...missing, ...silent].map(({ root }) => root)
  const tops = folders.map((folder) => index.addTop(folder))
  const known = new Set(folders)
  let hasLost = false
  for (const top of index.tops()) {
    if (known.has(top.path) || absent.some((root) => isInside(root, top.path))) continue
    index.detach(top.id)
    hasLost = true
  }
  index.commit()
  return { tops, hasLost }
}

/** Removes what is detached, with rests in between. Of a root that was taken away, no word is left in the file. */
async function purge(index: IndexDatabase, hasLostRoot: boolean, signal: AbortSignal): Promise<void> {
  const turns = createTurns()
  let hasPurged = false
  while (!signal.aborted && index.purge()) {
    hasPurged = true
    await turns.rest()
  }
  for (
    let isFirst = true;
    hasLostRoot && !signal.aborted && index.words?.mergeTexts(isFirst) === true;
    isFirst = false
  )
    await turns.rest()
  if (hasPurged) index.checkpoint()
}

/** Lists a folder if it has changed. @returns the folders in it */
export async function lookAtFolder(
  folder: KnownFolder,
  { index, isFull, now }: Pick<LookOptions, 'index' | 'isFull' | 'now'>,
  signal: AbortSignal,
): Promise<readonly KnownFolder[]> {
  const { id, path: at, seenMs } = folder
  try {
    const work = (progress: () => void) => folderReader.list(at, isFull ? null : seenMs, progress)
    const { mtimeMs, entries } = await providerDisk.run({ at, work }, signal)
    if (entries === undefined) return index.children(id)
    const isSettled = now() - mtimeMs > unsettledMs
    return await index.apply(folder, isSettled ? mtimeMs : null, toContent(at, entries), createTurns())
  } catch (error) {
    if (signal.aborted) return []
    if (isDamage(error)) throw error
    const reason = unreadReasonOf(error)
    // A missing folder is removed with the list of the folder that it was in.
    if (reason !== undefined) index.setProblem(id, reason)
    return reason === undefined ? [] : index.children(id)
  }
}

function toContent(at: string, { names, raw, isFolder, sizes, modifiedMs }: FolderEntries): FolderContent {
  const files: FileInFolder[] = []
  const folders: string[] = []
  for (const [place, name] of names.entries()) {
    const bytes = raw.get(place) ?? null
    if (isFolder[place] === 0)
      files.push({ name, raw: bytes, size: sizes[place] ?? 0, modifiedMs: modifiedMs[place] ?? 0 })
    // its name cannot be written as text, so nothing could be asked for by its path
    else if (bytes === null && !virtualFolders.has(path.join(at, name))) folders.push(name)
  }
  return { files, folders }
}

/** Reads size and time of files. Files that are gone keep what is known: the list of their folder removes them. */
export async function readFacts(
  index: IndexDatabase,
  files: readonly UnknownFile[],
  signal: AbortSignal,
): Promise<void> {
  const folders = Map.groupBy(files, ({ folder }) => folder)
  // One call for a folder: a call for each file takes longer to arrange than to make.
  const readOf = async ([at, some]: [string, readonly UnknownFile[]]): Promise<readonly FileFacts[]> => {
    const paths = some.map(({ name, raw }) =>
      raw === null
        ? path.join(at, name)
        : new Uint8Array(Buffer.concat([Buffer.from(path.join(at, path.sep)), raw])),
    )
    const work = (progress: () => void) => folderReader.facts(paths, progress)
    const { sizes, modifiedMs } = await providerDisk.run({ at, work }, signal)
    return some.map(({ id }, place) => ({ id, size: sizes[place] ?? 0, modifiedMs: modifiedMs[place] ?? 0 }))
  }
  const known = await Promise.allSettled([...folders].map(readOf))
  if (signal.aborted) return
  index.setFacts(known.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])))
}

/** A file of the index as an entry of its folder. */
export const toEntry = ({ name, raw }: Pick<UnknownFile, 'name' | 'raw'>, isFolder = false) => ({
  name,
  ...(raw !== null && { rawName: Buffer.from(raw) }),
  isFile: () => !isFolder,
  isDirectory: () => isFolder,
})
