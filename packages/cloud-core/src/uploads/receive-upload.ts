import { UploadFields, type UploadResult } from '@homeward/contract/device-cloud'
import {
  checkContentLength,
  describeIssues,
  payloadTooLarge,
  validationError,
  type RequestView,
} from '@homeward/contract/handler'
import * as z from 'zod/mini'
import { toTimestamp, type CloudContext } from '../cloud-context.ts'
import { toBase64Url } from '../devices/api-key.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import type { StoredFile, UploadAlready, UploadOutcome } from '../ports/upload-store.ts'
import { toPlainFileName } from './plain-file-name.ts'
import { readForm, type FormPart } from './read-form.ts'
import { toFileUrl, uploadNotFound } from './upload-operations.ts'

const leaseMs = 10 * 60 * 1000
/** Room for the other parts and their headers. */
const formOverheadBytes = 64 * 1024

/** An attempt to deliver one file. */
interface Attempt {
  readonly device: StoredDevice
  readonly origin: string
  /** Where this attempt writes: never where another attempt wrote, so stored bytes never change. */
  readonly blobId: string
  readonly fields: Map<string, string>
  file: StoredFile | undefined
  /** What earlier attempts may have left behind. */
  readonly superseded: Set<string>
}

/** Carries the stored outcome of a request that is over out of the middle of an attempt. */
class AlreadyOver extends Error {
  readonly outcome: UploadAlready
  constructor(outcome: UploadAlready) {
    super('The upload request is over')
    this.outcome = outcome
  }
}

/**
 * Takes a file, or the reason why there is none (C4, C6, C12, C18). Parts may come in any order: a file that comes
 * before its `requestId` is stored under a fresh id and becomes part of the request only when it is settled.
 */
export function createUploadReceiver(context: CloudContext) {
  const { store, blobs, now, emit, maxUploadBytes } = context

  return async (device: StoredDevice, request: RequestView, origin: string): Promise<UploadResult> => {
    checkContentLength(request, 'The upload', maxUploadBytes + formOverheadBytes)
    const blobId = toBase64Url(context.randomBytes(32))
    const attempt: Attempt = {
      device,
      origin,
      blobId,
      fields: new Map(),
      file: undefined,
      superseded: new Set(),
    }
    let kept = false
    try {
      for await (const part of readForm(request, maxUploadBytes + formOverheadBytes))
        await take(attempt, part)
      const result = await settle(attempt)
      kept = result.kept
      return result.reply
    } catch (error) {
      if (error instanceof AlreadyOver) return toReply(error.outcome, origin)
      throw error
    } finally {
      if (attempt.file && !kept) await blobs.delete(blobId).catch(context.onError)
    }
  }

  async function take(attempt: Attempt, part: FormPart): Promise<void> {
    if (part.kind === 'field') {
      if (attempt.fields.has(part.name))
        throw validationError(`${part.name}: stands more than once in the form`)
      attempt.fields.set(part.name, part.value)
    } else if (part.name === 'file') {
      if (attempt.file) throw validationError('file: stands more than once in the form')
      await storeFile(attempt, part)
    }
  }

  async function storeFile(attempt: Attempt, part: FormPart & { kind: 'file' }): Promise<void> {
    const requestId = attempt.fields.get('requestId')
    const filePath = requestId === undefined ? undefined : await lease(attempt, requestId)
    const fileName = toPlainFileName(part.fileName ?? filePath ?? '')
    const content = guarded(attempt, part.content)
    const { size, links } = await blobs.put({ id: attempt.blobId, fileName, content })
    attempt.file = { blobId: attempt.blobId, fileName, size, links }
  }

  /** Counts the bytes against the limit, and renews the lease while a long upload goes on. */
  async function* guarded(attempt: Attempt, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let size = 0
    let renewAtMs = now() + leaseMs / 3
    for await (const chunk of content) {
      size += chunk.length
      if (size > maxUploadBytes) throw payloadTooLarge('The file', maxUploadBytes)
      const requestId = attempt.fields.get('requestId')
      if (requestId !== undefined && now() >= renewAtMs) {
        await lease(attempt, requestId)
        renewAtMs = now() + leaseMs / 3
      }
      yield chunk
    }
  }

  async function lease({ device, blobId, superseded }: Attempt, id: string): Promise<string> {
    const nowMs = now()
    const leaseUntil = toTimestamp(nowMs + leaseMs)
    const leased = await store.leaseUpload({
      id,
      deviceId: device.id,
      blobId,
      leaseUntil,
      now: toTimestamp(nowMs),
    })
    if (leased.kind === 'unknown') throw uploadNotFound()
    if (leased.kind === 'already') throw new AlreadyOver(leased)
    if (leased.supersededBlobId !== null && leased.supersededBlobId !== blobId)
      superseded.add(leased.supersededBlobId)
    return leased.filePath
  }

  async function settle(attempt: Attempt): Promise<{ kept: boolean; reply: UploadResult }> {
    const { device, origin, file } = attempt
    const parsed = z.safeParse(UploadFields, Object.fromEntries(attempt.fields))
    if (!parsed.success) throw validationError(describeIssues(parsed.error.issues, 'form'))
    const { requestId: id, error } = parsed.data
    const outcome = toOutcome(file, error)
    if (file) await lease(attempt, id)
    const settled = await store.settleUpload({ id, deviceId: device.id, outcome, now: toTimestamp(now()) })
    if (settled.kind === 'unknown') throw uploadNotFound()
    if (settled.kind === 'already') return { kept: false, reply: toReply(settled, origin) }
    emit('upload:settled', {
      requestId: id,
      deviceId: device.id,
      userId: device.owner,
      status: outcome.status,
    })
    // Only now can no other attempt win any more: what the others wrote belongs to nobody.
    for (const blobId of attempt.superseded) await blobs.delete(blobId).catch(context.onError)
    return { kept: true, reply: toReply({ kind: 'already', ...outcome }, origin) }
  }
}

function toOutcome(file: StoredFile | undefined, error: string | undefined): UploadOutcome {
  if (file) return { status: 'completed', file }
  const reason = error?.trim() ?? ''
  if (reason === '') throw validationError('file: is missing. Send the file, or a non-empty error.')
  return { status: 'failed', error: reason }
}

function toReply(outcome: UploadAlready, origin: string): UploadResult {
  if (outcome.status !== 'completed') return { success: false, error: outcome.error }
  const { file } = outcome
  return { success: true, fileName: file.fileName, fileUrl: toFileUrl(origin, file), ...file.links }
}
