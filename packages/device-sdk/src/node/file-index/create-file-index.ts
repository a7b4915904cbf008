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
  /** Milliseconds between two looks at all folders. @default 300000 */
  readonly intervalMs?: number
  /** Most folders that are watched for changes on Linux: those that changed last. @default 8192 */
  readonly maxWatches?: number
  /**
   * Has the words of text files and documents in the index as well, and says how {@link FileIndex.contents} searches. The
   * file has no texts, but who can read it can guess words. Without the option, words that are in the file are removed at
   * once.
   *
   * @default false: searches for contents read the files
   */
  readonly contents?: Omit<ContentSearchOptions, 'roots' | 'now'> | false
  /** How much of a core reading contents takes: at most half, or a tenth with `lowest`. @default "normal" */
  readonly activity?: 'normal' | 'lowest'
  /** Takes a line about what went wrong, and when the index is ready. @default none */
  readonly log?: (line: string) => void
  /** Timers of the index, to use your own clock. @default setTimeout and clearTimeout */
  readonly timers?: Timers
}

/** How an index is doing. */
export interface FileIndexStatus {
  /** `off` if there can be none, such as on a disk that is full. Searches walk then, and while it is built. */
  readonly state: 'building' | 'ready' | 'off'
  readonly files: number
  /** Size of the index file. */
  readonly bytes: number
  /** When the last look at all folders began. */
  readonly updatedAt?: string
}

/** The provider for the scope `files` that answers from an index. */
export interface FileIndex extends SearchProvider<readonly FoundFile[]> {
  /**
   * The provider for the scope `content`: finds what `createContentSearch` finds. With the option `contents` it opens those
   * files only that may hold the search text. It walks and reads the files while the index is built, without the option, and
   * for texts of one or two letters.
   */
  readonly contents: SearchProvider<readonly FoundFile[]>
  /** How the index is doing now. */
  status(): FileIndexStatus
  /**
   * Visits all files that may be searched now, some at a time, as the index has them. `visit` is waited for.
   *
   * @returns when the folders were last looked at
   * @throws {Error} if the index cannot be read
   */
  each(visit: (files: readonly FoundFile[]) => Promise<void>, signal: AbortSignal): Promise<string>
  /** Looks at all folders now; resolves when it is done. */
  look(): Promise<void>
  /** Ends all work on the index. Searches walk afterwards. */
  close(): Promise<void>
}

/**
 * Finds files as {@link createFileSearch} does, but answers from an index: an SQLite file with the names, sizes and times of
 * all files below the roots. It begins to build the index at once. Until that is done, and whenever the index cannot be read,
 * searches walk the folders.
 *
 * A row is looked up on the disk before it is reported, and which roots may be searched is decided at the time of the
 * search. A file that was created, changed, renamed or deleted is known within seconds where its folder is watched, and
 * after the next look elsewhere. A damaged index is rebuilt. Close it when the agent has stopped.
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
      if (index === undefined || asOf === undefined) throw new Error('The index of files is not ready')
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
