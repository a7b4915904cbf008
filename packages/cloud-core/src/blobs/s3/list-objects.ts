import { isBlobId } from '../blob-id.ts'
import { RemoteFailure } from '../../remote/remote-failure.ts'
import { listsForEver, type S3Client } from './s3-client.ts'

const pageSize = 1000

/** Ids of the objects under `prefix` that were written before a time. */
export async function* listObjects(
  client: S3Client,
  prefix: string,
  beforeMs: number,
): AsyncGenerator<string, void> {
  const seen = new Set<string>()
  let token: string | undefined
  do {
    const page = await client.send((s3) => s3.listObjectsPaged('/', prefix, pageSize, token))
    if (!page?.objects) throw new RemoteFailure('the bucket does not exist', { status: 404 })
    for (const { Key, LastModified } of page.objects) {
      const id = Key.startsWith(prefix) ? Key.slice(prefix.length) : ''
      if (isBlobId(id) && LastModified.getTime() < beforeMs) yield id
    }
    token = page.nextContinuationToken
    if (token !== undefined && seen.has(token)) throw listsForEver()
    if (token !== undefined) seen.add(token)
  } while (token !== undefined)
}

/**
 * Gives up multipart uploads under `prefix` that began before a time: what a process that was killed left half-written.
 * Not every service can list them; there the bucket needs a lifecycle rule.
 */
export async function abortStaleMultiparts(
  client: S3Client,
  prefix: string,
  beforeMs: number,
): Promise<void> {
  const listed = await client
    .send((s3) => s3.listMultipartUploads('/', prefix, 'GET', { prefix, 'max-uploads': pageSize }))
    .catch((error: unknown) => {
      if (error instanceof RemoteFailure) return undefined
      throw error
    })
  for (const { key, uploadId, initiated } of uploadsOf(listed)) {
    if (!key.startsWith(prefix) || Date.parse(initiated) >= beforeMs) continue
    await client.send((s3) => s3.abortMultipartUpload(key, uploadId)).catch(ignoreFailure)
  }
}

interface ListedUpload {
  readonly key: string
  readonly uploadId: string
  readonly initiated: string
}

/** The library gives the parsed XML as it is: one upload is an object, several are an array. */
function uploadsOf(listed: unknown): readonly ListedUpload[] {
  const result = pick(listed, 'listMultipartUploadsResult', 'ListMultipartUploadsResult') ?? listed
  const uploads = pick(result, 'upload', 'Upload')
  return (Array.isArray(uploads) ? uploads : [uploads]).flatMap((upload: unknown) => {
    const [key, uploadId, initiated] = [
      pick(upload, 'key', 'Key'),
      pick(upload, 'uploadId', 'UploadId'),
      pick(upload, 'initiated', 'Initiated'),
    ]
    const isWhole = [key, uploadId, initiated].every((value) => typeof value === 'string')
    return isWhole ? [{ key, uploadId, initiated } as ListedUpload] : [] // each was looked at
  })
}

function pick(value: unknown, ...names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return names.map((name) => Reflect.get(value, name) as unknown).find((found) => found !== undefined)
}

function ignoreFailure(error: unknown): void {
  if (!(error instanceof RemoteFailure)) throw error
}
