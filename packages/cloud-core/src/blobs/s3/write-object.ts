import { md5 } from '@noble/hashes/legacy.js'
import type { S3mini, UploadPart } from 's3mini'
import { RemoteFailure } from '../../remote/remote-failure.ts'
import type { FilePart } from '../remote/gather-parts.ts'
import type { S3Client } from './s3-client.ts'

/** An object to write. */
interface NewObject {
  readonly key: string
  readonly parts: AsyncIterable<FilePart>
  /** Sent with the object. */
  readonly headers: Readonly<Record<string, string>>
}

/** Never one that a browser renders, whatever the file holds. */
const contentType = 'application/octet-stream'

/** Hears of a multipart upload as long as it is unfinished. */
export interface OpenMultipart {
  uploadId: string | undefined
}

/**
 * Writes an object: in one request where it is no larger than a part, else as a multipart upload, part after part.
 *
 * @returns its size in bytes
 * @throws {RemoteFailure}; whatever the parts throw passes as it is.
 */
export async function writeObject(
  client: S3Client,
  { key, parts, headers }: NewObject,
  open: OpenMultipart,
): Promise<number> {
  const taken: UploadPart[] = []
  let size = 0
  for await (const { bytes, isLast } of parts) {
    size += bytes.length
    if (isLast && taken.length === 0) {
      await sendWhole(client, key, bytes, headers)
      return size
    }
    const uploadId = (open.uploadId ??= await client.send((s3) =>
      s3.getMultipartUploadId(key, contentType, undefined, { ...headers }),
    ))
    taken.push(await sendPart(client, { key, uploadId, partNumber: taken.length + 1, bytes }))
  }
  await complete(client, key, open.uploadId ?? '', taken)
  open.uploadId = undefined
  return size
}

async function sendWhole(
  client: S3Client,
  key: string,
  bytes: FilePart['bytes'],
  headers: NewObject['headers'],
): Promise<void> {
  const digest = md5(bytes)
  const more = { ...headers, ...digestHeader(digest) }
  await client.send(async (s3) => {
    const response = await s3.putObject(key, bytes, contentType, undefined, more, bytes.length)
    await response.body?.cancel()
    const etag = response.headers.get('etag') ?? ''
    if (etag === '') await checkPresence(client, s3, key, bytes.length)
    else checkETag(client, etag, digest)
  })
}

/** Success without an ETag may be the page of a proxy that passed nothing on: it is looked whether the object is there. */
async function checkPresence(client: S3Client, s3: S3mini, key: string, size: number): Promise<void> {
  const isThere = (await s3.objectExists(key)) === true
  if (isThere && client.lastHeaders()?.get('content-length') === String(size)) return
  throw new RemoteFailure('the service accepted the file but does not have it')
}

function sendPart(
  client: S3Client,
  {
    key,
    uploadId,
    partNumber,
    bytes,
  }: Pick<NewObject, 'key'> & {
    uploadId: string
    partNumber: number
    bytes: FilePart['bytes']
  },
): Promise<UploadPart> {
  const digest = md5(bytes)
  return client.send(async (s3) => {
    const part = await s3.uploadPart(key, uploadId, bytes, partNumber, {}, undefined, digestHeader(digest))
    if (part.etag === '') throw new RemoteFailure('the service returned no ETag of a part', { status: 200 })
    checkETag(client, part.etag, digest)
    return part
  })
}

/** An error may come with status 200 here: the service begins its answer before it has put the parts together. */
async function complete(client: S3Client, key: string, uploadId: string, parts: UploadPart[]): Promise<void> {
  await client.send(async (s3) => {
    const result = await s3.completeMultipartUpload(key, uploadId, parts).catch(async (error: unknown) => {
      // A repeat of a request whose answer was lost: the object is there and the upload is not.
      if (client.lastHeaders() !== undefined && (await s3.objectExists(key)) === true)
        return { etag: 'known' }
      throw error
    })
    if (typeof result.etag !== 'string' || result.etag === '')
      throw new RemoteFailure('the service did not assemble the parts')
  })
}

/** `Content-MD5`: the service refuses what was changed on the way. */
function digestHeader(digest: Uint8Array): Record<`x-amz-${string}`, string> {
  const value = btoa(String.fromCharCode(...digest))
  // The library passes and signs any header; its type knows those of Amazon only.
  return { 'content-md5': value } as Record<`x-amz-${string}`, string>
}

/**
 * An ETag that has the form of an MD5 must be the one of the bytes, unless the service encrypted them: then it is
 * something else that looks the same.
 */
function checkETag(client: S3Client, etag: string, digest: Uint8Array): void {
  const told = etag.replaceAll('"', '').toLowerCase()
  if (!/^[0-9a-f]{32}$/.test(told) || isEncrypted(client.lastHeaders())) return
  const own = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  if (told !== own) throw new RemoteFailure('the service stored different bytes than it received')
}

function isEncrypted(headers: Headers | undefined): boolean {
  return [...(headers?.keys() ?? [])].some((name) => name.startsWith('x-amz-server-side-encryption'))
}
