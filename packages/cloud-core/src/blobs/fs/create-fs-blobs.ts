import { constants } from 'node:fs'
import { open, rm, stat, mkdir, readdir, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { aFunction, required, text } from '@homeward/kit'
import { checkOptions } from '../../context/check-options.ts'
import type { BlobRange, BlobStore, NewBlob, StoredBlob } from '../../ports/blob-store.ts'
import { assertBlobId, blobIdTaken } from '../blob-id.ts'
import { createBlobLifetime } from '../blob-lifetime.ts'
import { toBlobError } from './blob-error.ts'
import { streamFile } from './stream-file.ts'
import { writeWhole } from './write-whole.ts'

/** Options of {@link createFsBlobs}. */
export interface FsBlobsOptions {
  /** Folder of the files. Created if missing, accessible only to the current user. */
  readonly folder: string
  /** Returns the milliseconds since 1970. @default Date.now */
  readonly now?: () => number
  /** Creates a unique file name. @default crypto.randomUUID */
  readonly randomId?: () => string
}

/**
 * Creates a file store in a folder.
 *
 * A file is written under a temporary name, flushed to disk and then renamed, so it exists completely or not at all.
 * Incomplete files of a crash are removed when the folder is used an hour later. A folder must belong to one cloud
 * only, because files that its store does not list are removed.
 *
 * @throws {TypeError} if `folder` is missing.
 * @example
 * const blobs = createFsBlobs({ folder: '/var/lib/homeward/files' })
 */
export function createFsBlobs(options: FsBlobsOptions): BlobStore {
  checkOptions<FsBlobsOptions>('Creating the folder of files', options, {
    folder: required(text),
    now: aFunction,
    randomId: aFunction,
  })
  const { folder, now = Date.now, randomId = () => crypto.randomUUID() } = options
  const lifetime = createBlobLifetime('the folder of files')
  let prepared: Promise<void> | undefined

  /** The signal of a call, once the folder is there. */
  const begin = async (signal: AbortSignal | undefined): Promise<AbortSignal> => {
    const ends = lifetime.begin(signal)
    prepared ??= prepareFolder(folder, now())
    await prepared.catch((error: unknown) => {
      // The next call may have more luck.
      prepared = undefined
      throw toBlobError(error, 'Preparing the folder for files')
    })
    ends.throwIfAborted()
    return ends
  }

  const receive = async ({ id, content }: NewBlob, ends: AbortSignal): Promise<StoredBlob> => {
    const path = pathOf(folder, id)
    if (await exists(path)) throw blobIdTaken()
    const staging = join(folder, 'staging', `${id.slice(0, 64)}.${randomId()}`)
    return { size: await writeWhole({ staging, path, content }, ends), links: {} }
  }

  const read = async (id: string, range: BlobRange | undefined, signal: AbortSignal | undefined) => {
    assertBlobId(id)
    await begin(signal)
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)
    const file = await open(pathOf(folder, id), flags).catch(ignoreMissing)
    // Who reads may take longer than the call: only the end of the store cuts it.
    return file && streamFile(file, lifetime.begin(undefined), range)
  }

  return {
    async put(blob, signal) {
      assertBlobId(blob.id)
      const ends = await begin(signal)
      return lifetime.arrive(blob.id, () => receive(blob, ends))
    },

    open: (id, signal) => read(id, undefined, signal),
    openPart: (id, range, signal) => read(id, range, signal),

    async delete(id, signal) {
      assertBlobId(id)
      await begin(signal)
      await rm(pathOf(folder, id), { force: true }).catch((error: unknown) => {
        throw toBlobError(error, 'Deleting a file')
      })
    },

    async *list(storedBefore, signal) {
      yield* listFiles(join(folder, 'files'), Date.parse(storedBefore), await begin(signal))
    },

    async close() {
      lifetime.close()
    },
  }
}

/** Where the file of an id lies that can point nowhere else. */
function pathOf(folder: string, id: string): string {
  // A prefix, because some names mean a device to some systems; lower case, because some tell no case apart.
  return join(folder, 'files', id.slice(0, 2).toLowerCase().padEnd(2, '_'), `${namePrefix}${id}`)
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(ignoreMissing)) !== undefined
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw toBlobError(error, 'Opening a file')
}

const leftoverAgeMs = 60 * 60 * 1000

/** Makes the folder and removes half-written files that nobody has written to for an hour. */
async function prepareFolder(folder: string, nowMs: number): Promise<void> {
  const staging = join(folder, 'staging')
  await mkdir(join(folder, 'files'), { recursive: true, mode: 0o700 })
  await mkdir(staging, { recursive: true, mode: 0o700 })
  for (const name of await readdir(staging)) {
    const path = join(staging, name)
    // Another process may finish or remove it meanwhile.
    const writtenAt = await stat(path).then(
      (found) => found.mtimeMs,
      () => undefined,
    )
    if (writtenAt !== undefined && nowMs - writtenAt > leftoverAgeMs) await rm(path, { force: true })
  }
}

/** What the name of a stored file starts with; its id follows. */
const namePrefix = 'b_'

/** Ids of the stored files under `folder` that were written before a time. */
async function* listFiles(folder: string, beforeMs: number, signal: AbortSignal): AsyncGenerator<string> {
  try {
    // Level by level: not every runtime knows `recursive`.
    for await (const group of await opendir(folder)) {
      if (!group.isDirectory()) continue
      for await (const entry of await opendir(join(folder, group.name))) {
        signal.throwIfAborted()
        if (!entry.isFile() || !entry.name.startsWith(namePrefix)) continue
        // It may be removed meanwhile.
        const found = await stat(join(folder, group.name, entry.name)).catch(() => undefined)
        if (found && found.mtimeMs < beforeMs) yield entry.name.slice(namePrefix.length)
      }
    }
  } catch (error) {
    throw toBlobError(error, 'Listing files')
  }
}
