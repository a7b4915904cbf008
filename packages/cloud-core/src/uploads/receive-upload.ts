import { UploadFields, type UploadResult } from '@homeward/contract/device-cloud'
import {
  checkContentLength,
  describeIssues,
  validationError,
  type RequestView,
} from '@homeward/contract/handler'
import * as z from 'zod/mini'
import { toTimestamp, type CloudContext } from '../cloud-context.ts'
import { toBase64Url } from '../devices/api-key.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import type { StoredFile, UploadAlready, UploadOutcome } from '../ports/upload-store.ts'
import { AlreadyOver, guardUpload, leaseUpload, releaseUpload, type UploadAttempt } from './upload-attempt.ts'
import { toPlainFileName } from './plain-file-name.ts'
import { readForm, type FormPart } from './read-form.ts'
import { toFileUrl, uploadNotFound } from './upload-operations.ts'

/** Room for the other parts and their headers. */
const formOverheadBytes = 64 * 1024

/**
 * Takes a file, or the reason why there is none (C4, C6, C12, C18). Parts may come in any order: a file that comes
 * before its `requestId` is stored under a fresh id and becomes part of the request only when it is settled.
 */
export function createUploadReceiver(context: CloudContext) {
  const { store, blobs, now, emit, maxUploadBytes } = context

  return async (device: StoredDevice, request: RequestView, origin: string): Promise<UploadResult> => {
    checkContentLength(request, 'The upload', maxUploadBytes + formOverheadBytes)
    context.leftovers.noteUpload()
    const blobId = toBase64Url(context.randomBytes(32))
    const attempt: UploadAttempt = {
      device,
      origin,
      blobId,
      fields: new Map(),
      file: undefined,
      leased: undefined,
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
      await releaseUpload(context, attempt).catch(context.onError)
      throw error
    } finally {
      if (attempt.file && !kept) await blobs.delete(blobId).catch(context.onError)
    }
  }

  async function take(attempt: UploadAttempt, part: FormPart): Promise<void> {
    if (part.kind === 'field') {
      if (attempt.fields.has(part.name))
        throw validationError(`${part.name}: stands more than once in the form`)
      attempt.fields.set(part.name, part.value)
    } else if (part.name === 'file') {
      if (attempt.file) throw validationError('file: stands more than once in the form')
      await storeFile(attempt, part)
    }
  }

  async function storeFile(attempt: UploadAttempt, part: FormPart & { kind: 'file' }): Promise<void> {
    const requestId = attempt.fields.get('requestId')
    const filePath = requestId === undefined ? undefined : await leaseUpload(context, attempt, requestId)
    const fileName = toPlainFileName(part.fileName ?? filePath ?? '')
    const content = guardUpload(context, attempt, part.content)
    const { size, links } = await blobs.put({ id: attempt.blobId, fileName, content })
    attempt.file = { blobId: attempt.blobId, fileName, size, links }
  }

  async function settle(attempt: UploadAttempt): Promise<{ kept: boolean; reply: UploadResult }> {
    const { device, origin, file } = attempt
    const parsed = z.safeParse(UploadFields, Object.fromEntries(attempt.fields))
    if (!parsed.success) throw validationError(describeIssues(parsed.error.issues, 'form'))
    const { requestId: id, error } = parsed.data
    const outcome = toOutcome(file, error)
    if (file) await leaseUpload(context, attempt, id)
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
