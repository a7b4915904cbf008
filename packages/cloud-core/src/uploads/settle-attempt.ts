import type { UploadResult } from '@homeward/contract/device-cloud'
import { toTimestamp } from '../context/time.ts'
import type { UploadContext } from './upload-context.ts'
import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { UploadConflict, UploadOutcome, UploadStore } from '../ports/upload-store.ts'
import type { UploadAttempt } from './upload-attempt.ts'
import { currentLinks, toFileUrl, uploadNotFound } from './upload-operations.ts'

type Settled = Awaited<ReturnType<UploadStore['settleUpload']>>

/**
 * Ends a request with what an attempt brought, unless it is over already: then its stored outcome is the answer. A file
 * that has become the request's is the attempt's no more, whatever fails after that.
 */
export async function settleAttempt(
  context: UploadContext,
  attempt: UploadAttempt,
  id: string,
  outcome: UploadOutcome,
): Promise<UploadResult> {
  const { store, blobs, meters, now, emit, onError } = context
  const { device, file } = attempt
  // While the store has not answered, the file may be the request's already: should the call fail, it is left where it
  // is. Files that belong to nobody are found later.
  attempt.file = undefined
  const settled = await store.settleUpload({ id, deviceId: device.id, outcome, now: toTimestamp(now()) })
  if (!isKept(settled, attempt)) attempt.file = file
  if (settled.kind === 'unknown') throw uploadNotFound()
  // C13: a repeated upload gets the stored outcome with current links
  if (settled.kind === 'already') return toUploadResult(context, settled, attempt.origin)
  if (outcome.status === 'completed') meters.uploaded(outcome.file.size)
  emit('upload:settled', {
    requestId: id,
    deviceId: device.id,
    userId: device.owner,
    status: outcome.status,
    outcome: outcome.status,
  })
  // Only now can no other attempt win any more: what the others wrote belongs to nobody.
  for (const blobId of attempt.superseded) await blobs.delete(blobId).catch(onError)
  return toUploadResult(context, { kind: 'already', ...outcome }, attempt.origin)
}

/** Whether the file of an attempt is the one of its request. */
function isKept(settled: Settled, { blobId }: UploadAttempt): boolean {
  if (settled.kind === 'already') return settled.status === 'completed' && settled.file.blobId === blobId
  return settled.kind === 'settled'
}

/** Notes that the store of files refuses a file; any other failure passes as it is, and the device tries again. */
export function noteRefusal(attempt: UploadAttempt, error: unknown): void {
  if (!CloudStoreError.is(error) || error.code !== 'BLOB_REFUSED') throw error
  attempt.refusal = error
}

/**
 * How a request ends whose file the store of files refuses: to send it again would change nothing before somebody changes
 * something there, and whoever asked for the file sees why.
 */
export function toRefused({ onError }: UploadContext, refusal: CloudStoreError): UploadOutcome {
  onError(refusal)
  return { status: 'failed', error: `the cloud could not store the file: ${refusal.message}` }
}

/** The documented answer for an outcome. */
export async function toUploadResult(
  context: UploadContext,
  outcome: UploadConflict,
  origin: string,
): Promise<UploadResult> {
  if (outcome.status !== 'completed') return { success: false, error: outcome.error }
  const { file } = outcome
  const links = await currentLinks(context, file)
  return { success: true, fileName: file.fileName, fileUrl: toFileUrl(origin, file), ...links }
}
