import type { FoundFile } from '@homeward/contract/device-cloud'
import { platformTimers, type Timers } from '@homeward/kit'
import path from 'node:path'
import { checkNumbers } from '../../check-numbers.ts'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import type { SearchProvider, SearchProviderResult, SearchTask } from '../../ports/search-provider.ts'
import {
  type ContentSearchOptions,
  createContentSearch,
  readContentOptions,
} from '../content-search/create-content-search.ts'
import type { IndexKeeper } from './index-keeper.ts'
import { createFileSearch, type FileSearchOptions } from '../file-search/create-file-search.ts'

/** Options of {@link createFileIndex}. */
export interface FileIndexOptions extends FileSearchOptions {
  /** Path of the index file. SQLite adds files next to it. Only one process may use it at a time. */
  readonly path: string
  /** Milliseconds between two scans of all folders. @default 300000 */
  readonly intervalMs?: number
  /** Maximum number of folders that are watched for changes on Linux: the most recently changed ones. @default 8192 */
  readonly maxWatches?: number
  /**
   * Adds the words of text files and documents to the index, for {@link FileIndex.contents}.
   *
   * The index contains no texts, but a person who can read the file can guess words. Without the option, indexed
   * words are removed at once.
   *
   * @default false: content searches read the files
   */
  readonly contents?: Omit<ContentSearchOptions, 'roots' | 'now'> | false
  /** Share of a CPU core for reading contents: at most half, or a tenth with `lowest`. @default "normal" */
  readonly activity?: 'normal' | 'lowest'
  /** Receives a line about each problem, and when the index is ready. @default no log */
  readonly log?: (line: string) => void
  /** Timers of the index, to use your own clock. @default setTimeout and clearTimeout */
  readonly timers?: Timers
}

/** State of an index. */
export interface FileIndexStatus {
  /**
   * `off` if an index is impossible, for example on a full disk. Searches then walk the folders, as they do during
   * the build.
   */
  readonly state: 'building' | 'ready' | 'off'
  readonly files: number
  /** Size of the index file in bytes. */
  readonly bytes: number
  /** Start time of the last scan of all folders. */
  readonly updatedAt?: string
}

/** The provider for the scope `files` that searches an index. */
export interface FileIndex extends SearchProvider<readonly FoundFile[]> {
  /**
   * The provider for the scope `content`, with the results of `createContentSearch`.
   *
   * With the option `contents`, it opens only files that may contain the search text. It reads all files while the
   * index is being built, without the option, and for texts of one or two letters.
   */
  readonly contents: SearchProvider<readonly FoundFile[]>
  /** Returns the current state of the index. */
  status(): FileIndexStatus
  /**
   * Visits all indexed files that may be searched now, in batches. The next batch waits for `visit`.
   *
   * @returns the time of the last scan of the folders
   * @throws {Error} if the index cannot be read
   */
  each(visit: (files: readonly FoundFile[]) => Promise<void>, signal: AbortSignal): Promise<string>
  /** Scans all folders now. Resolves when the scan is complete. */
  look(): Promise<void>
  /** Stops all work on the index. Later searches walk the folders. */
  close(): Promise<void>
}

/**
 * Creates an indexed file search: the same results as {@link createFileSearch}, from an SQLite file with the names,
 * sizes and times of all files below the roots.
 *
 * Building the index starts at once. Until the index is complete, and whenever it cannot be read, searches walk the
 * folders.
 *
 * Each row is checked on disk before it is reported, and the allowed roots are checked at the time of the search.
 * Created, changed, renamed and deleted files are found within seconds in watched folders, and after the next scan
 * elsewhere. A damaged index is rebuilt. Close the index after the agent has stopped.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` if a root or the path is not absolute, or a limit is not a number.
 * @example
 * const files = createFileIndex({ roots: ['/home/ada'], path: '/var/lib/homeward/index.db' })
 * createDeviceAgent({ baseUrl, apiKey, providers: { files } })
 */
export function createFileIndex(options: FileIndexOptions): FileIndex {
  const walk = createFileSearch(options)
  const { intervalMs = 300_000, maxWatches = 8192, now = Date.now, timers = platformTimers } = options
  const { roots, path: file, log = () => {}, maxRows = 10_000, maxDurationMs = 60_000 } = options
  checkNumbers('Opening an index of files', { maxWatches })
  checkNumbers('Opening an index of files', { intervalMs }, 1)
  if (!path.isAbsolute(file)) {
    throw new DeviceCloudError(
      'INVALID_OPTION',
      'Opening an index of files failed: "path" is not absolute. Pass the full path of the file.',
    )
  }
  const { contents = false, activity = 'normal' } = options
  const settings = readContentOptions({ ...contents, now })
  const walkContents = createContentSearch({ ...settings, roots })
  const opened = open()
  let state: FileIndexStatus['state'] = 'building'

  /** SQLite is loaded by those who have an index only. */
  async function open() {
    const [{ createIndexKeeper }, { findInIndex, listIndex }, { findContents }] = await Promise.all([
      import('./index-keeper.ts'),
      import('./find-in-index.ts'),
      import('./find-contents.ts'),
    ])
    const reading = contents === false ? undefined : { ...settings, activity }
    const keeper = createIndexKeeper({
      file,
      roots,
      intervalMs,
      maxWatches,
      now,
      timers,
      log,
      contents: reading,
    })
    known = keeper
    return { keeper, findInIndex, listIndex, findContents }
  }
  let known: IndexKeeper | undefined
  const ready = opened.catch((error: unknown) => {
    state = 'off'
    log(
      `the index is unavailable, and searches walk: ${error instanceof Error ? error.message : String(error)}`,
    )
    return undefined
  })

  const answer = createAnswers(async () => (state === 'building' ? await ready : undefined), now)
  const search = answer(walk, ({ keeper, findInIndex }, task) => {
    const { noteStale: onStale, covers } = keeper
    return findInIndex(task, { file, roots, maxRows, maxDurationMs, now, onStale, covers })
  })
  const searchContents = answer(walkContents, async ({ keeper, findContents }, task) =>
    contents === false ? undefined : findContents(task, { file, roots, settings, covers: keeper.covers }),
  )

  return Object.assign(search, {
    contents: searchContents,
    status(): FileIndexStatus {
      const updatedAt = known?.asOf()
      if (state === 'off' || known === undefined) return { state, files: 0, bytes: 0 }
      return {
        state: updatedAt === undefined ? ('building' as const) : ('ready' as const),
        files: known.files(),
        bytes: known.bytes(),
        ...(updatedAt !== undefined && { updatedAt }),
      }
    },
    async each(visit: (files: readonly FoundFile[]) => Promise<void>, signal: AbortSignal) {
      const index = await ready
      const asOf = index?.keeper.asOf()
      if (index === undefined || asOf === undefined)
        throw new Error('Searching the file index failed: the index is not ready. Try again later.')
      await index.listIndex({ file, roots, visit, signal })
      return asOf
    },
    async look() {
      await (await ready)?.keeper.look()
    },
    async close() {
      const index = await ready
      state = 'off'
      await index?.keeper.close()
    },
  })
}

type Answer = SearchProviderResult<readonly FoundFile[]>

/** Builds searches that ask the index, and walk if it cannot answer. */
function createAnswers<Index extends { readonly keeper: IndexKeeper }>(
  openIndex: () => Promise<Index | undefined>,
  now: () => number,
) {
  return (
    walk: SearchProvider<readonly FoundFile[]>,
    ask: (index: Index, task: SearchTask) => Promise<Answer | undefined>,
  ) =>
    async function search(task: SearchTask): Promise<Answer> {
      const index = await openIndex()
      const asOf = index?.keeper.asOf()
      if (index !== undefined && asOf !== undefined) {
        try {
          const answer = await ask(index, task)
          if (answer !== undefined) return { ...answer, source: 'index', asOf }
        } catch (error) {
          if (DeviceCloudError.is(error) || task.signal.aborted) throw error
          index.keeper.noteDamage(error)
        }
      }
      const startedAt = new Date(now()).toISOString()
      return { ...(await walk(task)), source: 'walk', asOf: startedAt }
    }
}
