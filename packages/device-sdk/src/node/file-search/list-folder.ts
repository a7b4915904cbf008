import type { Dir, Dirent } from 'node:fs'
import { opendir, readdir, stat } from 'node:fs/promises'
import { providerDisk } from '../disk/lanes.ts'

/** An entry of a folder. */
export interface FolderEntry {
  /** Undecodable bytes and lone surrogates show as U+FFFD. */
  readonly name: string
  /** The name as the file system has it, where `name` holds U+FFFD and may be the name of no file. */
  readonly rawName?: Buffer
  isFile(): boolean
  isDirectory(): boolean
}

// One call per folder is three times as fast as a stream, but a folder of 100,000 names would hold the event loop
// while its names are turned into objects. The size of a folder tells them apart without reading it.
const streamedFromBytes = 64 * 1024
const streamedChunk = 1024

/** Shares the event loop: a walk rests when it has had it for a while. */
interface Turns {
  /** Resolves in a later turn of the event loop, if it is time for one. */
  rest(): Promise<void> | undefined
}

/** How long a walk may hold the event loop, in milliseconds. */
const turnMs = 20

/** Builds the turns of one walk. Those who rest at the same time go on in different turns. */
export function createTurns(): Turns {
  let startedAt = performance.now()
  let last = Promise.resolve()
  const next = () =>
    new Promise<void>((resolve) => {
      setImmediate(() => {
        startedAt = performance.now()
        resolve()
      })
    })
  return {
    rest() {
      if (performance.now() - startedAt < turnMs) return undefined
      return (last = last.then(next))
    },
  }
}

/** Entries between two looks at the clock: one can take a millisecond, when the pattern is large. */
const entriesPerLook = 16

/**
 * Calls `visit` for each entry of a folder, until it returns false.
 *
 * Rests between entries, so that neither large folders nor slow patterns hold the event loop. A folder with names that are not valid UTF-8 is read a second time, as bytes, for these names.
 *
 * @throws {DeviceCloudError} `FILE_UNAVAILABLE` if the disk does not respond; the signal's reason on abort.
 */
export async function listFolder(
  folder: string,
  visit: (entry: FolderEntry) => boolean,
  turns: Turns,
  signal: AbortSignal,
): Promise<void> {
  const visitAll = async <Entry>(entries: readonly Entry[], visitOne: (entry: Entry) => boolean) => {
    for (const [index, entry] of entries.entries()) {
      if (index % entriesPerLook === 0) await turns.rest()
      if (!visitOne(entry)) return false
    }
    return true
  }
  let hasOddNames = false
  const visitPlain = (entry: Dirent): boolean => {
    if (!isOdd(entry.name)) return visit(entry)
    hasOddNames = true
    return true
  }
  const isWhole = await readEntries(folder, 'utf8', (some) => visitAll(some, visitPlain), signal)
  if (!isWhole || !hasOddNames) return
  const visitOdd = (entry: Dirent<Buffer>): boolean => {
    const name = entry.name.toString()
    if (!isOdd(name)) return true
    return visit({
      name,
      rawName: entry.name,
      isFile: () => entry.isFile(),
      isDirectory: () => entry.isDirectory(),
    })
  }
  await readEntries(folder, 'buffer', (some) => visitAll(some, visitOdd), signal)
}

const isOdd = (name: string): boolean => name.includes('\uFFFD')

/** What the entries are called in each encoding. */
interface Named {
  readonly utf8: Dirent
  readonly buffer: Dirent<Buffer>
}

/** Gives false when `visitAll` ended it. */
async function readEntries<Encoding extends keyof Named>(
  folder: string,
  encoding: Encoding,
  visitAll: (entries: readonly Named[Encoding][]) => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  const all = await providerDisk.run({ at: folder, work: () => readSmall(folder, encoding) }, signal)
  if (all) return await visitAll(all)
  const opened = { at: folder, work: () => openStream(folder, encoding), discard: (dir: Dir) => dir.close() }
  const dir = await providerDisk.run(opened, signal)
  try {
    for (;;) {
      const some = await providerDisk.run({ at: folder, work: () => readSome<Encoding>(dir) }, signal)
      if (!(await visitAll(some))) return false
      if (some.length < streamedChunk) return true
    }
  } finally {
    void providerDisk.run({ at: folder, work: () => dir.close(), mustRun: true }).catch(() => {})
  }
}

/** All entries of a small folder, or undefined for one to be streamed. */
async function readSmall<Encoding extends keyof Named>(
  folder: string,
  encoding: Encoding,
): Promise<Named[Encoding][] | undefined> {
  const { size } = await stat(folder)
  // Windows gives no size, so there every folder is streamed.
  if (size === 0 || size > streamedFromBytes) return undefined
  // Node's types tell the encodings apart by their literals only, not by a type parameter.
  const options = { withFileTypes: true, encoding: encoding as 'utf8' } as const
  return (await readdir(folder, options)) as Named[Encoding][]
}

const openStream = (folder: string, encoding: keyof Named): Promise<Dir> =>
  // Its types leave out `buffer`, which it takes like `readdir`.
  opendir(folder, { bufferSize: streamedChunk, encoding: encoding as 'utf8' })

async function readSome<Encoding extends keyof Named>(dir: Dir): Promise<Named[Encoding][]> {
  const entries: Named[Encoding][] = []
  while (entries.length < streamedChunk) {
    const entry = await dir.read()
    if (entry === null) break
    entries.push(entry as Named[Encoding]) // as it was opened
  }
  return entries
}
