import type { BlobContent, BlobRange } from '../../ports/blob-store.ts'
import { RemoteFailure } from '../../remote/remote-failure.ts'
import { exactStream } from '../remote/exact-stream.ts'
import { isPart } from '../remote/part-request.ts'
import type { S3Client } from './s3-client.ts'

/** What to read. */
interface ObjectToRead {
  readonly key: string
  /** Undefined for all of it. */
  readonly range: BlobRange | undefined
  /** How errors of its stream begin. */
  readonly attempt: string
}

/**
 * Opens an object or a part of one; undefined when there is none.
 *
 * @throws {RemoteFailure}
 */
export async function readObject(
  client: S3Client,
  { key, range, attempt }: ObjectToRead,
): Promise<BlobContent | undefined> {
  const response = await (range === undefined
    ? client.send((s3) => s3.getObjectResponse(key))
    : client.send((s3) => s3.getObjectRaw(key, false, range.start, range.end)).catch(ignoreMissing))
  if (response === null) return undefined
  const size = sizeOf(response)
  if (size === undefined || (range !== undefined && !isPart(response, range))) {
    await response.body?.cancel()
    throw new RemoteFailure('the service sent an unexpected response')
  }
  return { size, content: exactStream(response.body ?? new Blob([]).stream(), size, attempt) }
}

function ignoreMissing(error: unknown): null {
  if (error instanceof RemoteFailure && error.status === 404) return null
  throw error
}

/** Size as the service says it; undefined for a page that some proxy answered instead. */
function sizeOf({ headers }: Response): number | undefined {
  const length = headers.get('content-length')
  if (length === null || headers.get('content-type')?.startsWith('text/html')) return undefined
  return Number(length)
}
