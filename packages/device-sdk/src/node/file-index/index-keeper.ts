import { createAutoResetEvent, type Timers } from '@homeward/kit'
import {
  createFolderWatchers,
  type FolderChange,
  type FolderWatchers,
  watchesTrees,
} from './folder-watchers.ts'
import {
  type IndexDatabase,
  isDamage,
  isOurs,
  type KnownFolder,
  openIndexDatabase,
  removeIndexFile,
} from './index-database.ts'
import { lookAtFolder, lookAtFolders, readFacts } from './look-at-folders.ts'
import { type ContentReading, contentSignature, createContentsReader } from './read-contents.ts'
import { isInside } from '../roots/resolve-roots.ts'

/** Options of {@link createIndexKeeper}. */
export interface KeeperOptions {
  readonly file: string
  readonly roots: readonly string[]
  readonly intervalMs: number
  readonly maxWatches: number
  readonly now: () => number
  readonly timers: Timers
  readonly log: (line: string) => void
  /** Has the words of contents in the index. */
  readonly contents: ContentReading | undefined
}

/** Keeps an index up to date, until it is closed. */
export interface IndexKeeper {
  /** When the last whole look of these roots began; undefined before the first. */
  asOf(): string | undefined
  /** Whether the last whole look was at this folder too: a drive may have been mounted since. */
  covers(folder: string): boolean
  files(): number
  bytes(): number
  /** Resolves when a look that begins now is done. */
  look(): Promise<void>
  /** Has a folder listed soon. */
  noteStale(folder: string): void
  /** Has the file rebuilt, because it cannot be read. */
  noteDamage(error: unknown): void
  close(): Promise<void>
}

/** Changes are gathered for so long. */
const gatherMs = 1000
/** A look that lists every folder: some file systems do not change the time of a folder. */
const fullLookEvery = 12
/** Files whose size and time are read again after each look, by turns. */
const factsALook = 100_000
const factsAtOnce = 512

/** Opens the index, or rebuilds it if it cannot be read, and begins to look. @throws if there can be none. */
export function createIndexKeeper(options: KeeperOptions): IndexKeeper {
  const { file, intervalMs, now, timers, log } = options
  const stop = new AbortController()
  const { signal } = stop
  const wakeup = createAutoResetEvent(timers)
  const changes: Changes = new Map()
  const noteChange = ({ folder, changed }: FolderChange): void => {
    const known = changes.get(folder)
    if (changed === undefined) changes.set(folder, 'list')
    else if (known === undefined) changes.set(folder, new Set([changed]))
    else if (known !== 'list') known.add(changed)
    wakeup.set()
  }
  const watchers = createFolderWatchers(options.maxWatches, noteChange)
  const waiters: (() => void)[] = []
  let isDamaged = false
  const hasWork = () => waiters.length > 0 || changes.size > 0 || isDamaged || signal.aborted
  const toLooks = (index: IndexDatabase) =>
    createLooks({ ...options, index, watchers, changes, hasWork, signal })
  const open = () => toLooks(openOrRebuild(options))
  let looks = open()
  let asOf = looks.readAsOf()
  let nextLookMs = 0
  let moreContentsMs = Infinity

  function rebuild(): void {
    asOf = undefined
    looks.close()
    removeIndexFile(file)
    looks = open()
    isDamaged = false
  }

  async function round(): Promise<void> {
    const asked = waiters.splice(0)
    const isDue = asked.length > 0 || isDamaged || now() >= nextLookMs
    try {
      if (isDue) nextLookMs = now() + intervalMs
      if (isDamaged) rebuild()
      await looks.lookAtChanges()
      const seenAt = isDue ? await looks.lookAtAll() : undefined
      // What changed before its folder was watched is seen by a second look.
      if (asOf === undefined && seenAt !== undefined) nextLookMs = 0
      asOf = seenAt ?? asOf
      await looks.readFacts(isDue)
      const moreAfterMs = await looks.readContents(isDue, () => hasWork() || now() >= nextLookMs)
      moreContentsMs = moreAfterMs === undefined ? Infinity : now() + moreAfterMs
    } catch (error) {
      looks.rollback()
      isDamaged = isDamage(error)
      const problem = error instanceof Error ? error.message : String(error)
      if (!isDamaged) log(`scanning the folders for the index failed: ${problem}`)
    } finally {
      for (const tell of asked) tell()
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await round()
      if (hasWork()) await createAutoResetEvent(timers).wait(waiters.length > 0 ? 0 : gatherMs, signal)
      else await wakeup.wait(Math.max(0, Math.min(nextLookMs, moreContentsMs) - now()), signal)
      // what happens together is looked at once
      if (changes.size > 0 && waiters.length === 0) await createAutoResetEvent(timers).wait(gatherMs, signal)
    }
  }
  const running = run()

  return {
    asOf: () => asOf,
    covers: (folder) => looks.covers(folder),
    files: () => looks.files(),
    bytes: () => looks.bytes(),
    look: () =>
      new Promise((resolve) => {
        waiters.push(resolve)
        wakeup.set()
      }),
    noteStale: (folder) => noteChange({ folder, changed: undefined }),
    noteDamage(error) {
      if (!isDamage(error)) return
      isDamaged = true
      asOf = undefined
      wakeup.set()
    },
    async close() {
      stop.abort()
      wakeup.set()
      await running
      for (const tell of waiters.splice(0)) tell()
      watchers.close()
      looks.close()
    },
  }
}

/** Names of files whose content changed, by folder, and folders whose list did. */
type Changes = Map<string, Set<string> | 'list'>

/** What the looks of one index file work with. */
interface LooksSetup extends KeeperOptions {
  readonly index: IndexDatabase
  readonly watchers: FolderWatchers
  readonly changes: Changes
  /** Whether something more urgent than sizes and times is to be done. */
  readonly hasWork: () => boolean
  readonly signal: AbortSignal
}

/** The work on one index file. One call at a time. */
function createLooks(setup: LooksSetup) {
  const { index, roots, maxWatches, now, log, watchers, changes, hasWork, signal, contents } = setup
  const reader = contents && createContentsReader({ ...setup, ...contents })
  let files = index.countFiles()
  let tops: readonly string[] = index
    .tops()
    .filter(({ seenMs, problem }) => seenMs !== null || problem !== null)
    .map((top) => top.path)
  let count = 0
  let cursor = 0

  async function listChanged(folder: KnownFolder): Promise<void> {
    const waiting = [{ ...folder, seenMs: null }]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      // before its list is read: changes in between are reported
      watchers.add(next.path)
      const inside = await lookAtFolder(next, { index, now, isFull: false }, signal)
      for (const each of inside) if (each.seenMs === null) waiting.push({ ...each, seenMs: null })
    }
  }

  return {
    files: () => files,
    bytes: () => index.bytes(),
    covers: (folder: string) => tops.some((top) => isInside(top, folder)),
    rollback: () => index.rollback(),

    /** When an earlier process saw all of these roots; undefined if they were others. */
    readAsOf(): string | undefined {
      const text = index.asOf()
      // Written by `JSON.stringify` below.
      const known = text === undefined ? undefined : (JSON.parse(text) as { at: string; roots: unknown })
      return JSON.stringify(known?.roots) === JSON.stringify(roots) ? known?.at : undefined
    },

    /** Looks at every folder. @returns when it began; undefined if it was ended before it had seen everything. */
    async lookAtAll(): Promise<string | undefined> {
      const at = new Date(now()).toISOString()
      const seen = await lookAtFolders({ index, roots, now, isFull: count % fullLookEvery === 0 }, signal)
      if (seen === undefined) return undefined
      tops = seen
      index.setAsOf(JSON.stringify({ at, roots }))
      files = index.countFiles()
      watchers.watch(watchesTrees ? tops : index.recent(maxWatches))
      if (count === 0) log(`the index of ${files} files is ready`)
      count += 1
      return at
    },

    /** Looks at the folders that were reported as changed. */
    async lookAtChanges(): Promise<void> {
      for (const [folder, changed] of changes) {
        changes.delete(folder)
        const known = index.find(folder)
        if (known === undefined || signal.aborted) continue
        if (changed === 'list') await listChanged(known)
        else for (const name of changed) index.forgetFacts(known.id, name)
      }
      index.commit()
    },

    /** Reads sizes and times that are not known, and after a look some of those that are. */
    async readFacts(isAfterLook: boolean): Promise<void> {
      let after = 0
      do {
        const unknown = index.unknownAfter(after, factsAtOnce)
        await readFacts(index, unknown, signal)
        after = unknown.at(-1)?.id ?? 0
      } while (after > 0 && !hasWork())
      let left = isAfterLook ? factsALook : 0
      while (left > 0 && !hasWork()) {
        const known = index.filesAfter(cursor, factsAtOnce)
        await readFacts(index, known, signal)
        cursor = known.length < factsAtOnce ? 0 : (known.at(-1)?.id ?? 0)
        left = cursor === 0 ? 0 : left - factsAtOnce
      }
    },

    /** Reads words of contents, if they are to be in the index. @returns milliseconds after which there is more */
    readContents: async (isAfterLook: boolean, isOver: () => boolean) =>
      reader?.read(tops, isAfterLook, isOver),

    close(): void {
      try {
        index.close()
      } catch {
        // a damaged file that is removed
      }
    },
  }
}

function openOrRebuild({ file, log, contents }: KeeperOptions): IndexDatabase {
  const signature = contents && contentSignature(contents)
  try {
    return openIndexDatabase(file, signature)
  } catch (error) {
    if (!isDamage(error)) throw error
    log(`${isOurs(error) ? error.message : 'the index of files is damaged'}, and is rebuilt`)
    removeIndexFile(file)
    return openIndexDatabase(file, signature)
  }
}
