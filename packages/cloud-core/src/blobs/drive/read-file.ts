import type { BlobContent, BlobRange } from '../../ports/blob-store.ts'
import { RemoteFailure } from '../../remote/remote-failure.ts'
import { exactStream } from '../remote/exact-stream.ts'
import { isPart, rangeHeader } from '../remote/part-request.ts'
import type { DriveClient } from './drive-client.ts'
import { fileUrl } from './drive-files.ts'
import type { DriveFolder } from './drive-folder.ts'

/** Clients of one call: what Drive says of files has a size limit, their content has none. */
export interface ReadClients {
  readonly lists: DriveClient
  readonly files: DriveClient
}

/**
 * Opens a file, or the part of it in `range`; undefined when there is none.
 *
 * @param attempt How errors of its stream begin.
 * @throws {RemoteFailure}
 */
export async function readFile(
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
