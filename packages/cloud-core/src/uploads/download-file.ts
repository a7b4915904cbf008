import { HttpError, type PlainReply, type RequestView } from '@homeward/contract/handler'
import type { CloudContext, UserCall } from '../cloud-context.ts'
import type { BlobContent, BlobRange } from '../ports/blob-store.ts'
import type { StoredFile } from '../ports/upload-store.ts'
import { parseByteRange } from './byte-range.ts'
import { createDownloadLog } from './download-log.ts'
import { attachmentHeader } from '@homeward/kit'

/** What of a request says which part of a file is wanted, or that it is wanted only if it is another one (C26). */
type Conditions = Pick<RequestView, 'method' | 'header'>

type FileToOpen = Pick<StoredFile, 'blobId' | 'size'>

const unconditional: Conditions = { method: 'GET', header: () => undefined }

/** What users do with stored files. */
export function createFileDownload({ store, blobs, audit, now }: CloudContext) {
  const recordDownload = createDownloadLog({ audit, now })

  async function download(call: UserCall, blobId: string, request: Conditions): Promise<PlainReply> {
    const file = await store.findFile(call.userId, blobId)
    if (!file) throw fileNotFound()
    const etag = etagOf(file)
    const acceptRanges = blobs.openPart ? 'bytes' : 'none'
    const known = { etag, 'accept-ranges': acceptRanges, 'cache-control': 'private, no-store' }
    if (names(request.header('if-none-match') ?? '', etag)) return { status: 304, body: null, headers: known }
    const part = blobs.openPart && wantedPart(request, file)
    const blob = await open(file, part)
    // what is only looked at is no download: whoever writes the answer lets go of its body
    if (request.method !== 'HEAD') await record(call, file, blob, part !== undefined)
    return {
      status: part ? 206 : 200,
      body: blob.content,
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(blob.size),
        ...(part && { 'content-range': `bytes ${part.start}-${part.end - 1}/${file.size}` }),
        'content-disposition': attachmentHeader(file.fileName),
        'content-security-policy': "sandbox; default-src 'none'",
        'cross-origin-resource-policy': 'same-origin',
        ...known,
      },
    }
  }

  /** Opens a file, or a part of it. One that was cut is not given at all. */
  async function open({ blobId, size }: FileToOpen, part: BlobRange | undefined): Promise<BlobContent> {
    const blob = await (part ? blobs.openPart?.(blobId, part) : blobs.open(blobId))
    if (!blob) throw fileNotFound()
    const expected = part ? part.end - part.start : size
    if (blob.size === expected) return blob
    await blob.content.cancel().catch(() => {})
    // A store of several copies has only now been told how much is wanted, and looks for one that has it.
    if (!part && blob.size < size && blobs.openPart) return open({ blobId, size }, { start: 0, end: size })
    throw new Error(
      `Opening a file failed: the store has ${blob.size} of ${expected} bytes. Check the file store.`,
    )
  }

  /** Records a download before a byte of it is given (C24). */
  async function record(call: UserCall, file: StoredFile, { content }: BlobContent, isPart: boolean) {
    try {
      await recordDownload(call, file, isPart)
    } catch (error) {
      await content.cancel().catch(() => {})
      throw error
    }
  }

  return {
    /**
     * Opens an uploaded file of this user, always as an attachment that no browser renders. A `request` may ask for a
     * part of it, or for 304 if it is still the one that the caller has.
     */
    downloadFile: (call: UserCall, blobId: string, request = unconditional) =>
      audit.watch(call, 'file:downloaded', { subjectId: blobId }, () => download(call, blobId, request)),
  }
}

/** The part that is asked for; undefined for all of it. `Range` counts for `GET`, and for the file that `If-Range` names. */
function wantedPart(request: Conditions, file: StoredFile): BlobRange | undefined {
  const known = request.header('if-range')
  if (request.method !== 'GET' || (known !== undefined && known !== etagOf(file))) return undefined
  const part = parseByteRange(request.header('range'), file.size)
  if (part === 'unsatisfiable') throw rangeNotSatisfiable(file)
  return part
}

/** Strong: what lies under the id of a blob never changes. */
function etagOf({ blobId }: StoredFile): string {
  return `"${blobId}"`
}

/** Whether a list of entity tags has this one, or is `*`. */
function names(list: string, etag: string): boolean {
  return list.trim() === '*' || list.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

function fileNotFound(): HttpError {
  return new HttpError(404, { error: 'File not found' })
}

function rangeNotSatisfiable({ size }: StoredFile): HttpError {
  const body = { error: 'Range not satisfiable', message: `The file has ${size} bytes.` }
  return new HttpError(416, body, { 'content-range': `bytes */${size}`, 'accept-ranges': 'bytes' })
}
