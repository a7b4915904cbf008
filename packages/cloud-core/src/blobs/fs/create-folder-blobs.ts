import { constants } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobStore, NewBlob, StoredBlob } from '../../ports/blob-store.ts'
import { CloudStoreError } from '../../ports/cloud-store-error.ts'
import { toBlobError } from './blob-error.ts'
import { listFiles, namePrefix } from './list-files.ts'
import { prepareFolder } from './prepare-folder.ts'
import { streamFile } from './stream-file.ts'
import { writeWhole } from './write-whole.ts'

const idPattern = /^[A-Za-z0-9_-]{1,128}$/

/** Settings of {@link createFolderBlobs}. */
export interface FolderBlobsOptions {
  /** Where the files go; made when missing, for this user alone. */
  readonly folder: string
  /** Clock. @default () => new Date() */
  readonly now?: () => Date
  /** Makes a name that no other file has. @default crypto.randomUUID */
  readonly randomId?: () => string
}

/**
 * Keeps files in a folder. A file is written under another name, flushed to the disk and then renamed, so it is there
 * whole or not at all. What a crash left half-written is removed when the folder is next used an hour later. A folder
 * belongs to one cloud: files that its store knows nothing of are taken for leftovers.
 *
 * @example
 * const blobs = createFolderBlobs({ folder: '/var/lib/homeward/files' })
 */
export function createFolderBlobs(options: FolderBlobsOptions): BlobStore {
  const { folder, now = () => new Date(), randomId = () => crypto.randomUUID() } = options
  const arriving = new Set<string>()
  const closing = new AbortController()
  let prepared: Promise<void> | undefined

  const prepare = async (signal: AbortSignal | undefined): Promise<void> => {
    signal?.throwIfAborted()
    closing.signal.throwIfAborted()
    prepared ??= prepareFolder(folder, now())
    await prepared.catch((error: unknown) => {
      // The next call may have more luck.
      prepared = undefined
      throw toBlobError(error, 'Preparing the folder for files')
    })
    signal?.throwIfAborted()
    closing.signal.throwIfAborted()
  }

  const receive = async (
    blob: NewBlob,
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<StoredBlob> => {
    if (await exists(path)) throw taken()
    const staging = join(folder, 'staging', `${blob.id.slice(0, 64)}.${randomId()}`)
    const ends = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
    return { size: await writeWhole({ staging, path, content: blob.content }, ends), links: {} }
  }

  return {
    async put(blob, signal) {
      const path = pathOf(folder, blob.id)
      await prepare(signal)
      if (arriving.has(blob.id)) throw taken()
      arriving.add(blob.id)
      try {
        return await receive(blob, path, signal)
      } finally {
        arriving.delete(blob.id)
      }
    },

    async open(id, signal) {
      const path = pathOf(folder, id)
      await prepare(signal)
      const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(ignoreMissing)
      return file === undefined ? undefined : streamFile(file, closing.signal)
    },

    async delete(id, signal) {
      const path = pathOf(folder, id)
      await prepare(signal)
      await rm(path, { force: true }).catch((error: unknown) => {
        throw toBlobError(error, 'Deleting a file')
      })
    },

    async *list(storedBefore, signal) {
      await prepare(signal)
      yield* listFiles(join(folder, 'files'), Date.parse(storedBefore), signal)
    },

    async close() {
      closing.abort(
        new CloudStoreError('CLOSED', 'Using the folder of files failed: it was closed. Open it again.'),
      )
    },
  }
}

/** @throws {CloudStoreError} `BLOB_ID_INVALID` for whatever could point elsewhere. */
function pathOf(folder: string, id: string): string {
  if (!idPattern.test(id)) {
    throw new CloudStoreError(
      'BLOB_ID_INVALID',
      'Opening a file failed: its id may only hold 1 to 128 of A-Z, a-z, 0-9, - and _. Use the id that was given.',
    )
  }
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

function taken(): CloudStoreError {
  return new CloudStoreError('CONFLICT', 'Storing a file failed: its id is in use already. Make a new one.')
}
