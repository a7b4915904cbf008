import { HttpError, type PlainReply, type RequestView } from '@homeward/contract/handler'
import type { UserCall } from '../context/cloud-context.ts'
import type { UploadContext } from './upload-context.ts'
import type { BlobContent, BlobRange } from '../ports/blob-store.ts'
import type { StoredFile } from '../ports/upload-store.ts'
import { attachmentHeader } from '@homeward/kit'
import type { AuditedCall } from '../audit/audit-log.ts'

/** What of a request says which part of a file is wanted, or that it is wanted only if it is another one (C26). */
type Conditions = Pick<RequestView, 'method' | 'header'>

type FileToOpen = Pick<StoredFile, 'blobId' | 'size'>

const unconditional: Conditions = { method: 'GET', header: () => undefined }

/** What users do with stored files. */
export function createFileDownload({ store, blobs, audit, now }: UploadContext) {
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
      download(call, blobId, request),
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

/**
 * The one part of a file that a `Range` header asks for (RFC 9110, section 14.2). Undefined where all of it is meant: there
 * is no header, it is malformed, of another unit, or asks for several parts, and where the file is empty, which has no part.
 */
export function parseByteRange(
  header: string | undefined,
  fileBytes: number,
): BlobRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? []
  if (fileBytes === 0 || first + last === '') return undefined
  if (first === '') return toRange(fileBytes - Math.min(Number(last), fileBytes), fileBytes, fileBytes)
  if (last !== '' && Number(last) < Number(first)) return undefined
  return toRange(Number(first), last === '' ? fileBytes : Number(last) + 1, fileBytes)
}

function toRange(start: number, end: number, fileBytes: number): BlobRange | 'unsatisfiable' {
  return start < fileBytes ? { start, end: Math.min(end, fileBytes) } : 'unsatisfiable'
}

const sameDownloadMs = 60 * 60 * 1000
const maxRemembered = 10_000

/** A download that was recorded, or is about to be. */
interface Begun {
  readonly atMs: number
  readonly recorded: Promise<void>
}

/**
 * Records downloads (C24). A player, or a program that goes on with a file, asks for many parts of it: those that the same
 * user, or the same actor of a user, gets from the same address within an hour of an entry belong to it. This process remembers it.
 */
export function createDownloadLog({ audit, now }: Pick<UploadContext, 'audit' | 'now'>) {
  const downloads = new Map<string, Begun>()

  function remember(key: string, download: Begun): void {
    downloads.delete(key) // to the end: the first is the oldest
    if (downloads.size >= maxRemembered) downloads.delete(downloads.keys().next().value!)
    downloads.set(key, download)
    download.recorded.catch(() => {
      if (downloads.get(key) === download) downloads.delete(key)
    })
  }

  /** Resolves once it is certain that there is an entry. Rejects when it could not be written. */
  return (
    call: AuditedCall,
    { blobId, fileName }: Pick<StoredFile, 'blobId' | 'fileName'>,
    isPart: boolean,
  ): Promise<void> => {
    const key = JSON.stringify([call.userId, call.actor ?? null, call.address ?? null, blobId])
    const last = downloads.get(key)
    const atMs = now()
    if (isPart && last && atMs >= last.atMs && atMs - last.atMs < sameDownloadMs) return last.recorded
    const entry = audit.entryOf(call, 'file:downloaded', { subjectId: blobId, name: fileName })
    const recorded = audit.record([entry])
    remember(key, { atMs, recorded })
    return recorded
  }
}
