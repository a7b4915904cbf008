import { HttpError, payloadTooLarge, rateLimited } from '@homeward/contract/handler'
import { toTimestamp } from '../context/time.ts'
import type { UploadContext } from './upload-context.ts'
import type { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import type { StoredFile, UploadConflict } from '../ports/upload-store.ts'
import { isDue, leaseMs } from './lease-times.ts'
import { uploadNotFound } from './upload-operations.ts'

/** An attempt to deliver one file. */
export interface UploadAttempt {
  readonly device: StoredDevice
  readonly origin: string
  /** Where this attempt writes: never where another attempt wrote, so stored bytes never change. */
  readonly blobId: string
  readonly fields: Map<string, string>
  file: StoredFile | undefined
  /** Why the store of files does not take the file at all. */
  refusal: CloudStoreError | undefined
  /** Request that this attempt holds a lease of. */
  leased: string | undefined
  /** What earlier attempts may have left behind. */
  readonly superseded: Set<string>
}

/** An attempt that has brought nothing yet. */
export function createAttempt(device: StoredDevice, origin: string, blobId: string): UploadAttempt {
  return {
    device,
    origin,
    blobId,
    fields: new Map(),
    file: undefined,
    refusal: undefined,
    leased: undefined,
    superseded: new Set(),
  }
}

/** Carries the stored outcome of a request that is over out of the middle of an attempt. */
export class AlreadyOver extends Error {
  readonly outcome: UploadConflict
  constructor(outcome: UploadConflict) {
    super('The upload request is over')
    this.outcome = outcome
  }
}

/** How {@link leaseUpload} takes a lease. */
interface LeaseTerms {
  /** @default 10 minutes */
  readonly forMs?: number
  /** Requests of the device that may hold one; past it 429. */
  readonly maxLeases?: number
  /** Whether a lease that another attempt holds stays with it. */
  readonly yields?: boolean
}

/** Takes or renews the lease (C4); gives the path that was asked for. */
export async function leaseUpload(
  context: UploadContext,
  attempt: UploadAttempt,
  id: string,
  { forMs = leaseMs, ...terms }: LeaseTerms = {},
): Promise<string> {
  const { device, blobId, superseded } = attempt
  const nowMs = context.now()
  const leaseUntil = toTimestamp(nowMs + forMs)
  const lease = { id, deviceId: device.id, blobId, leaseUntil, now: toTimestamp(nowMs) }
  const leased = await context.store.leaseUpload({ ...lease, ...terms })
  if (leased.kind === 'unknown') throw uploadNotFound()
  if (leased.kind === 'already') throw new AlreadyOver(leased)
  if (leased.kind === 'busy')
    throw rateLimited(
      `A device can upload at most ${terms.maxLeases} files at the same time. Finish some first.`,
      forMs,
    )
  if (leased.kind === 'held') return leased.filePath
  if (leased.supersededBlobId !== null && leased.supersededBlobId !== blobId)
    superseded.add(leased.supersededBlobId)
  attempt.leased = id
  return leased.filePath
}

/**
 * Ends the lease of an attempt that broke off, so that the request is listed again at once and not after ten minutes: a
 * device that was restarted in the middle knows nothing of the attempt. The lease of a newer attempt stays: that one may
 * still be under way. A request that went with its device has none.
 */
export async function releaseUpload(context: UploadContext, attempt: UploadAttempt): Promise<void> {
  const { leased } = attempt
  if (leased === undefined) return
  await leaseUpload(context, attempt, leased, { forMs: 0, yields: true }).catch((error: unknown) => {
    const isGone = error instanceof HttpError && error.status === 404
    if (!isGone && !(error instanceof AlreadyOver)) throw error
  })
}

/** Counts the bytes against the limit, and renews the lease while a long upload goes on. */
export async function* guardUpload(
  context: UploadContext,
  attempt: UploadAttempt,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const { now, maxUploadBytes } = context
  let size = 0
  let takenMs = now()
  for await (const chunk of content) {
    size += chunk.length
    if (size > maxUploadBytes) throw payloadTooLarge('The file', maxUploadBytes)
    const requestId = attempt.fields.get('requestId')
    if (requestId !== undefined && isDue(takenMs, now(), leaseMs / 3)) {
      // A newer attempt may have the lease now: taken back, it would end with this one.
      await leaseUpload(context, attempt, requestId, { yields: true })
      takenMs = now()
    }
    yield chunk
  }
}
