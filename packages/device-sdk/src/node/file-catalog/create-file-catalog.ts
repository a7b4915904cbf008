import type { FoundFile } from '@homeward/contract/device-cloud'
import { replaceFile } from '@homeward/kit/node'
import { openAsBlob } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import type { CatalogSource, CatalogTask } from '../../ports/catalog-source.ts'
import type { FileIndex } from '../file-index/create-file-index.ts'
import { describeFile } from '../file-search/describe-file.ts'
import type { FolderEntry } from '../file-search/list-folder.ts'
import { createUnreadParts } from '../file-search/unread-parts.ts'
import { walkFolders } from '../file-search/walk-folders.ts'
import { walkRoots } from '../file-search/walk-roots.ts'
import { assertRoots } from '../roots/resolve-roots.ts'
import { writeCatalog, writeRows } from './write-catalog.ts'

/** Options of {@link createFileCatalog}. */
export interface FileCatalogOptions {
  /** Folders whose files are listed. No other files are. */
  readonly roots: readonly string[]
  /** State folder, for the sent list and lists being sent. */
  readonly folder: string
  /** Whether to share the list with the cloud. If false, a list in the cloud is removed. @default false */
  readonly isShared?: boolean
  /** Index to read the list from. @default the folders are walked once an hour */
  readonly index?: FileIndex | undefined
  /** Returns the milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

const State = z.object({
  /** When it was sent, in milliseconds since 1970; absent while that is not known. */
  sentMs: z.optional(z.number()),
  digest: z.optional(z.string()),
})
type State = z.infer<typeof State>

const everyMs = 3_600_000
/** Files that are looked up at the same time. */
const atOnce = 64

/**
 * Creates a catalog: the list of files below the roots, with which the cloud serves searches while the device is
 * offline.
 *
 * The list has names, sizes and times, no content. A new list is created at most once an hour, and sent if it
 * changed.
 *
 * The agent records that the cloud may have a list before it sends the first one. So a device that starts without
 * sharing removes the list, even if it was off when the setting changed.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` if a root is not an absolute path.
 * @example
 * createDeviceAgent({ baseUrl, apiKey, providers, catalog: createFileCatalog({ roots, folder, isShared: true }) })
 */
export function createFileCatalog(options: FileCatalogOptions): CatalogSource {
  const { roots, folder, isShared = false, index, now = Date.now } = options
  assertRoots(roots)
  const stateFile = path.join(folder, 'catalog.json')
  const rows = path.join(folder, 'catalog-rows.gz')
  const file = path.join(folder, 'catalog.ndjson.gz')
  let lookedMs = -Infinity

  const writeState = (state: State) => replaceFile(stateFile, JSON.stringify(state), { mode: 0o600 })
  const removeFiles = async () => {
    for (const each of [rows, file]) await rm(each, { force: true })
  }

  async function readState(): Promise<State | undefined> {
    const text = await readFile(stateFile, 'utf8').catch(() => undefined)
    if (text === undefined) return undefined
    try {
      return z.parse(State, JSON.parse(text))
    } catch {
      return {} // damaged, but there: something may have been sent
    }
  }

  const isRecent = (ms: number) => Math.abs(now() - ms) < everyMs

  async function prepare(state: State, signal: AbortSignal): Promise<CatalogTask | undefined> {
    let asOf = new Date(now()).toISOString()
    const written = await writeRows(rows, async (visit) => {
      if (index && index.status().state !== 'off') asOf = await index.each(visit, signal)
      else await walk(roots, visit, signal)
      signal.throwIfAborted()
    })
    lookedMs = now()
    if (written.digest === state.digest) {
      await removeFiles()
      return undefined
    }
    await writeCatalog(file, rows, { asOf, files: written.files })
    if (state.sentMs === undefined) await writeState({})
    return {
      kind: 'send',
      content: await openAsBlob(file),
      done: () => writeState({ sentMs: now(), digest: written.digest }),
      release: removeFiles,
    }
  }

  return {
    async next(signal) {
      const state = await readState()
      if (!isShared) {
        if (state === undefined) return undefined
        await removeFiles()
        return { kind: 'remove', done: () => rm(stateFile, { force: true }) }
      }
      if (isRecent(lookedMs) && state?.sentMs !== undefined) return undefined
      if (state?.sentMs !== undefined && isRecent(state.sentMs)) return undefined
      if (index?.status().state === 'building') return undefined
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return prepare(state ?? {}, signal)
    },
  }
}

/** Visits the files below the roots as a search does. */
async function walk(
  roots: readonly string[],
  visit: (files: readonly FoundFile[]) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const unread = createUnreadParts()
  let entries: FolderEntry[] = []
  const walkThese = (folders: readonly string[]) =>
    walkFolders({
      roots: folders,
      // one after the other: the same files are the same list
      concurrency: 1,
      signal,
      isOver: () => signal.aborted,
      unread,
      onFile: (entry) => void entries.push(entry),
      async onFolder(where) {
        const known = entries
        entries = []
        for (let at = 0; at < known.length && !signal.aborted; at += atOnce) {
          const some = known.slice(at, at + atOnce)
          const found = await Promise.all(some.map((entry) => describeFile(where, entry, unread, signal)))
          await visit(found.filter((each) => each !== undefined))
        }
      },
    })
  await walkRoots(roots, walkThese, unread, signal)
}
