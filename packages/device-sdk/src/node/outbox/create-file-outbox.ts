import { readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { checkNumbers } from '../../check-numbers.ts'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import { checkFolder } from '../check-folder.ts'
import { stateDisk } from '../disk/lanes.ts'
import { assertRoom } from '../../outbox/assert-room.ts'
import type { Outbox, OutboxEntry } from '../../ports/outbox.ts'
import { isEntryFile, isUnfinished, readEntry, serializeEntry, toFileName, writeEntry } from './entry-file.ts'
import { type FolderLock, hasCode, lockFolder } from './folder-lock.ts'

/** An unreadable state file that was renamed. */
export interface DamagedFile {
  /** New path of the file, which ends in `.damaged`. */
  readonly path: string
  readonly reason: string
}

/** Options of {@link createFileOutbox}. */
export interface FileOutboxOptions {
  /** Folder for the entries. Created with mode 0700 if missing. Only one process at a time may use it. */
  readonly folder: string
  /** Maximum number of entries. Further entries are rejected. @default 1000 */
  readonly maxEntries?: number
  /** Maximum size of all entries together, in bytes. @default 268435456 */
  readonly maxBytes?: number
  /** Called for each damaged file. */
  readonly onDamaged?: (damaged: DamagedFile) => void
  /** Returns the time in milliseconds. @default Date.now */
  readonly now?: () => number
}

/** An outbox in a folder, which it locks until closed. */
export interface FileOutbox extends Outbox, AsyncDisposable {
  /** Waits for pending writes and releases the folder. Can be called twice. A later call opens the outbox again. */
  close(): Promise<void>
}

/**
 * Creates an outbox that stores results in a folder, one file per entry, until the cloud has them.
 *
 * An entry is complete on disk when `put` resolves, and survives `kill -9` and a power failure. The first call locks
 * the folder for this process, until `close()`, which the agent calls when it ends. The lock of a dead process is
 * taken over. A full outbox rejects new entries and drops nothing. A replaced entry counts only with its new size. A
 * damaged file is renamed to `*.damaged`, reported, and then ignored.
 *
 * Calls reject with `STATE_UNAVAILABLE` if another process uses the folder, the outbox is full, or the disk fails or
 * does not respond within 10 seconds. A slow write may still complete later.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` if `folder` is missing, or a limit is not a number.
 * @example
 * const outbox = createFileOutbox({ folder: '/var/lib/my-agent', onDamaged: ({ path }) => log(path) })
 */
export function createFileOutbox(options: FileOutboxOptions): FileOutbox {
  checkFolder('Creating the outbox', options)
  const { maxEntries, maxBytes } = options
  checkNumbers('Creating the outbox', { maxEntries, maxBytes })
  let opened: Promise<OpenOutbox> | undefined

  // One call after the other: the limits count what is there, and the order of calls is the order on the disk.
  const inTurn = <Result>(work: (progress: () => void) => Promise<Result>): Promise<Result> =>
    stateDisk.run({ at: options.folder, work })
  const use = <Result>(
    attempt: string,
    work: (outbox: OpenOutbox, progress: () => void) => Promise<Result>,
  ): Promise<Result> =>
    inTurn(async (progress) => {
      opened ??= openOutbox(options)
      const outbox = await opened.catch((error: unknown) => {
        opened = undefined
        throw toStateError('Opening the outbox', options.folder, error)
      })
      return await work(outbox, progress).catch((error: unknown) => {
        throw toStateError(attempt, options.folder, error)
      })
    })
  const close = (): Promise<void> =>
    inTurn(async () => {
      const closing = opened
      opened = undefined
      await (await closing)?.lock.release()
    })
  return {
    list: () => use('Reading the outbox', (outbox, progress) => listEntries(outbox, options, progress)),
    put: (entry) => use('Storing a search in the outbox', (outbox) => putEntry(outbox, options, entry)),
    delete: (queryId) => use('Clearing the outbox', (outbox) => deleteEntry(outbox, options, queryId)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface OpenOutbox {
  readonly lock: FolderLock
  /** Bytes of each entry's file, by its name. */
  readonly sizes: Map<string, number>
}

async function openOutbox({ folder, now = Date.now }: FileOutboxOptions): Promise<OpenOutbox> {
  const lock = await lockFolder(folder, 'outbox', now)
  try {
    const sizes = new Map<string, number>()
    for (const name of await readdir(folder)) {
      if (isUnfinished(name)) await rm(path.join(folder, name), { force: true })
      if (isEntryFile(name)) sizes.set(name, (await stat(path.join(folder, name))).size)
    }
    return { lock, sizes }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function listEntries(
  { sizes }: OpenOutbox,
  options: FileOutboxOptions,
  progress: () => void,
): Promise<OutboxEntry[]> {
  const entries: OutboxEntry[] = []
  for (const name of sizes.keys()) {
    progress()
    try {
      entries.push(await readEntry(options.folder, name))
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) await setAside(name, options, error)
      sizes.delete(name)
    }
  }
  return entries.toSorted((one, other) => compareText(one.createdAt, other.createdAt))
}

const compareText = (one: string, other: string): number => Number(one > other) - Number(one < other)

async function setAside(
  name: string,
  { folder, onDamaged }: FileOutboxOptions,
  error: unknown,
): Promise<void> {
  const reason = error instanceof SyntaxError ? 'it is not complete JSON' : messageOf(error)
  // A disk that cannot be read now may be readable later: only what was read and is wrong is set aside.
  if (error instanceof Error && 'syscall' in error) throw error
  const aside = path.join(folder, `${name}.damaged`)
  await rename(path.join(folder, name), aside)
  try {
    onDamaged?.({ path: aside, reason })
  } catch {
    // A listener that throws must not cost the entries which are whole.
  }
}

async function putEntry(
  { sizes }: OpenOutbox,
  options: FileOutboxOptions,
  entry: OutboxEntry,
): Promise<void> {
  const { folder, maxEntries = 1000, maxBytes = 256 * 1024 * 1024 } = options
  const name = toFileName(entry.queryId)
  const content = serializeEntry(entry)
  assertRoom(sizes, name, content.length, { maxEntries, maxBytes })
  await writeEntry(folder, name, content)
  sizes.set(name, content.length)
}

// Not synced: an entry that comes back after a power cut is sent once more, and the cloud keeps the first.
async function deleteEntry(
  { sizes }: OpenOutbox,
  { folder }: FileOutboxOptions,
  queryId: string,
): Promise<void> {
  const name = toFileName(queryId)
  await rm(path.join(folder, name), { force: true })
  sizes.delete(name)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'it failed')

function toStateError(attempt: string, folder: string, error: unknown): DeviceCloudError {
  if (DeviceCloudError.is(error)) return error
  const message = `${attempt} failed: the folder "${folder}" reported an error: ${messageOf(error)}. Check the disk and its permissions.`
  return new DeviceCloudError('STATE_UNAVAILABLE', message, { cause: error })
}
