import { attachmentHeader, required, text } from '@homeward/kit'
import type { BlobLinks, BlobRange, BlobStore, NewBlob } from '../../ports/blob-store.ts'
import { assertBlobId, blobIdTaken } from '../blob-id.ts'
import { createBlobLifetime } from '../blob-lifetime.ts'
import { gatherParts } from '../remote/gather-parts.ts'
import { RemoteFailure } from '../../remote/remote-failure.ts'
import { toStoreError } from '../remote/to-store-error.ts'
import { abortStaleMultiparts, listObjects } from './list-objects.ts'
import { readObject } from './read-object.ts'
import { createS3Clients } from './s3-client.ts'
import type { S3BlobsOptions } from './s3-options.ts'
import { writeObject, type OpenMultipart } from './write-object.ts'
import { checkOptions } from '../../context/check-options.ts'
import { checkRemoteOptions } from '../../remote/check-remote-options.ts'

const cleanUpWithinMs = 30_000
const storing = 'Storing a file in S3'

/**
 * Creates a file store in an S3-compatible bucket, with one object per file.
 *
 * A file larger than a part is sent as a multipart upload with one part in memory. An interrupted upload is aborted
 * and leaves no object. Requires the package `s3mini`, which is loaded at the first call.
 *
 * @throws {TypeError} if an option is invalid.
 * @example
 * const blobs = createS3Blobs({
 *   endpoint: 'https://fra1.digitaloceanspaces.com/files-of-ann',
 *   region: 'fra1',
 *   accessKeyId: process.env.S3_ACCESS_KEY_ID ?? '',
 *   secretAccessKey: process.env.S3_SECRET_ACCESS_KEY ?? '',
 * })
 */
export function createS3Blobs(options: S3BlobsOptions): BlobStore {
  const { links = { kind: 'presigned' }, keyPrefix = 'homeward/', partBytes = 8 * 1024 * 1024 } = options
  checkS3Options({ ...options, links, keyPrefix, partBytes })
  const clients = createS3Clients(options)
  const lifetime = createBlobLifetime('the S3 store')
  const keyOf = (id: string) => `${keyPrefix}${id}`

  const linksOf = async (id: string): Promise<BlobLinks> => {
    const key = keyOf(id)
    if (links.kind === 'public') return { spacesFile: { publicUrl: `${trimSlashes(links.baseUrl)}/${key}` } }
    const client = await clients(lifetime.begin(undefined))
    const publicUrl = await client.send((s3) =>
      s3.getPresignedUrl('GET', key, links.expiresInSeconds ?? 3600),
    )
    return { spacesFile: { publicUrl } }
  }

  /** Removes whatever a failed upload left, also where its answer was lost; with a time limit of its own. */
  const undo = async (key: string, { uploadId }: OpenMultipart): Promise<void> => {
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(new RemoteFailure('it took too long')), cleanUpWithinMs)
    try {
      const client = await clients(stop.signal)
      if (uploadId !== undefined)
        await client.send((s3) => s3.abortMultipartUpload(key, uploadId)).catch(() => {})
      await client.send((s3) => s3.deleteObject(key)).catch(() => {})
    } finally {
      clearTimeout(timer)
    }
  }

  const receive = async (blob: NewBlob, signal: AbortSignal): Promise<number> => {
    const key = keyOf(blob.id)
    const client = await clients(signal)
    if ((await client.send((s3) => s3.objectExists(key))) !== false) throw blobIdTaken()
    const headers = {
      'content-disposition': attachmentHeader(blob.fileName),
      ...(links.kind === 'public' && links.acl !== undefined ? { 'x-amz-acl': links.acl } : undefined),
    }
    const open: OpenMultipart = { uploadId: undefined }
    try {
      return await writeObject(
        client,
        { key, parts: gatherParts(blob.content, partBytes, signal), headers },
        open,
      )
    } catch (error) {
      await undo(key, open)
      throw error
    }
  }

  const read = async (id: string, range: BlobRange | undefined, signal: AbortSignal | undefined) => {
    assertBlobId(id)
    const attempt = 'Reading a file from S3'
    const client = await clients(lifetime.begin(signal), { wholeFile: true })
    return readObject(client, { key: keyOf(id), range, attempt }).catch(rethrow(attempt))
  }

  return {
    async put(blob, signal) {
      assertBlobId(blob.id)
      const ends = lifetime.begin(signal)
      const size = await lifetime.arrive(blob.id, () => receive(blob, ends)).catch(rethrow(storing))
      return { size, links: await linksOf(blob.id) }
    },

    open: (id, signal) => read(id, undefined, signal),
    openPart: (id, range, signal) => read(id, range, signal),

    async delete(id, signal) {
      assertBlobId(id)
      const client = await clients(lifetime.begin(signal))
      await client
        .send((s3) => s3.deleteObject(keyOf(id)))
        .catch(ignoreMissing)
        .catch(rethrow('Deleting a file in S3'))
    },

    async *list(storedBefore, signal) {
      const client = await clients(lifetime.begin(signal))
      const beforeMs = Date.parse(storedBefore)
      try {
        await abortStaleMultiparts(client, keyPrefix, beforeMs)
        yield* listObjects(client, keyPrefix, beforeMs)
      } catch (error) {
        throw toStoreError(error, 'Listing files in S3')
      }
    },

    linksOf,

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

/** Some services answer 404 where there is nothing to delete. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof RemoteFailure) || error.status !== 404) throw error
}

function trimSlashes(url: string): string {
  return url.replace(/\/+$/, '')
}

const minPartBytes = 5 * 1024 * 1024
const maxPartBytes = 512 * 1024 * 1024
const longestLinkSeconds = 604_800
const attempt = 'Creating the S3 store'

type Checked = S3BlobsOptions & Required<Pick<S3BlobsOptions, 'links' | 'keyPrefix' | 'partBytes'>>

/** @throws {TypeError} that names the setting and what it must be. Never holds a key. */
function checkS3Options({ endpoint, ...options }: Checked): void {
  const { keyPrefix, partBytes, links } = options
  if (!isHttpUrl(endpoint)) refuse('"endpoint" must be an http:// or https:// address with the bucket')
  const { accessKeyId, secretAccessKey } = options
  const filled = required(text)
  checkOptions(attempt, { accessKeyId, secretAccessKey }, { accessKeyId: filled, secretAccessKey: filled })
  if (!/^([A-Za-z0-9][A-Za-z0-9._-]*\/)*$/.test(keyPrefix))
    refuse('"keyPrefix" must be plain names that each end in "/"')
  if (!Number.isInteger(partBytes) || partBytes < minPartBytes || partBytes > maxPartBytes)
    refuse(`"partBytes" must be an integer between ${minPartBytes} and ${maxPartBytes}, got ${partBytes}`)
  checkRemoteOptions(attempt, options)
  if (links.kind === 'public') {
    if (!isHttpUrl(links.baseUrl)) refuse('"links.baseUrl" must be an http:// or https:// address')
    return
  }
  // The library signs such a link for another key than the one that the link names.
  if (/[!'()*]/.test(options.accessKeyId))
    refuse(`"accessKeyId" must not hold any of !'()* for signed links. Create another access key`)
  const { expiresInSeconds = 3600 } = links
  if (!Number.isInteger(expiresInSeconds) || expiresInSeconds < 1 || expiresInSeconds > longestLinkSeconds)
    refuse(
      `"links.expiresInSeconds" must be an integer between 1 and ${longestLinkSeconds}, got ${expiresInSeconds}`,
    )
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === ''
}

function refuse(reason: string): never {
  throw new TypeError(`${attempt} failed: ${reason}.`)
}
