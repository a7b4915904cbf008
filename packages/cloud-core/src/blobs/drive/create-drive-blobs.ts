import type { BlobRange, BlobStore, BlobContent } from '../../ports/blob-store.ts'
import { assertBlobId } from '../blob-id.ts'
import { createBlobLifetime } from '../blob-lifetime.ts'
import { toStoreError } from '../remote/to-store-error.ts'
import { createDriveClients, type DriveClient } from './drive-client.ts'
import { listIds, maxIdLength, removeFile, fileUrl } from './drive-files.ts'
import { createDriveFolder, type DriveFolder } from './drive-folder.ts'
import { checkDriveOptions, type DriveBlobsOptions } from './drive-options.ts'
import { receiveFile } from './receive-file.ts'
import { RemoteFailure } from '../../remote/remote-failure.ts'
import { exactStream } from '../remote/exact-stream.ts'
import { isPart, rangeHeader } from '../remote/part-request.ts'

/**
 * Creates a file store in a Google Drive folder, with a service account.
 *
 * A file is sent as a resumable upload with one piece in memory, and exists once Drive has all of it. The file's id
 * is a property in Drive. Requires the package `jose`, which is loaded at the first call.
 *
 * @throws {TypeError} if an option is invalid.
 * @example
 * const blobs = createDriveBlobs({
 *   account: { clientEmail: key.client_email, privateKey: key.private_key },
 *   folderId: '1a2b3c',
 * })
 */
export function createDriveBlobs(options: DriveBlobsOptions): BlobStore {
  checkDriveOptions(options)
  const { folderId, chunkBytes = 8 * 1024 * 1024 } = options
  const clients = createDriveClients(options)
  const folder = createDriveFolder(folderId)
  const lifetime = createBlobLifetime('the Drive store')

  const read = async (id: string, range: BlobRange | undefined, signal: AbortSignal | undefined) => {
    assertBlobId(id, maxIdLength)
    const attempt = 'Reading a file from Google Drive'
    const ends = lifetime.begin(signal)
    const [lists, files] = [clients(ends), clients(ends, { wholeFile: true })]
    return readFile({ lists, files }, folder, id, attempt, range).catch(rethrow(attempt))
  }

  return {
    async put(blob, signal) {
      assertBlobId(blob.id, maxIdLength)
      const ends = lifetime.begin(signal)
      return lifetime
        .arrive(blob.id, () => receiveFile({ clients, folder, chunkBytes }, blob, ends))
        .catch(rethrow('Storing a file in Google Drive'))
    },

    open: (id, signal) => read(id, undefined, signal),
    openPart: (id, range, signal) => read(id, range, signal),

    async delete(id, signal) {
      assertBlobId(id, maxIdLength)
      const client = clients(lifetime.begin(signal))
      try {
        for (const driveId of await folder.find(client, id)) await removeFile(client, driveId)
        folder.forget(id)
      } catch (error) {
        throw toStoreError(error, 'Deleting a file in Google Drive')
      }
    },

    async *list(storedBefore, signal) {
      const client = clients(lifetime.begin(signal))
      try {
        yield* listIds(client, folderId, new Date(storedBefore).toISOString())
      } catch (error) {
        throw toStoreError(error, 'Listing files in Google Drive')
      }
    },

    async close() {
      lifetime.close()
    },
  }
}

function rethrow(attempt: string): (error: unknown) => never {
  return (error) => {
    throw toStoreError(error, attempt)
  }
}

/** Clients of one call: what Drive says of files has a size limit, their content has none. */
interface ReadClients {
  readonly lists: DriveClient
  readonly files: DriveClient
}

/**
 * Opens a file, or the part of it in `range`; undefined when there is none.
 *
 * @param attempt How errors of its stream begin.
 * @throws {RemoteFailure}
 */
async function readFile(
  { lists, files }: ReadClients,
  folder: DriveFolder,
  id: string,
  attempt: string,
  range?: BlobRange,
): Promise<BlobContent | undefined> {
  const [driveId] = await folder.find(lists, id)
  if (driveId === undefined) return undefined
  const address = fileUrl(files, driveId, { alt: 'media' })
  const response = await files.sendAgain(address, { method: 'GET', headers: rangeHeader(range) }, [404])
  if (response.status === 404) {
    await response.body?.cancel()
    return undefined
  }
  if (range !== undefined && !isPart(response, range)) {
    await response.body?.cancel()
    throw new RemoteFailure('Drive sent another part of the file than requested')
  }
  const size = Number(response.headers.get('content-length') ?? Number.NaN)
  if (Number.isNaN(size)) {
    await response.body?.cancel()
    throw new RemoteFailure('Drive did not report the size of the file')
  }
  return { size, content: exactStream(response.body ?? new Blob([]).stream(), size, attempt) }
}
