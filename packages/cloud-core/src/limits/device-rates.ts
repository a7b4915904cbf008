import { rateLimited } from '@homeward/contract/handler'
import { createTokenBuckets } from '@homeward/kit'

const guard = { perSecond: 1, burst: 10 }
const uploads = { perSecond: 5, burst: 10 }

/** Rates a device, by operation (C12): those of reports and uploads are stated limits, the others guard against abuse. */
const rates: Readonly<Record<string, { perSecond: number; burst: number }>> = {
  reportSearch: { perSecond: 10, burst: 20 },
  uploadFile: uploads,
  beginChunkedUpload: uploads,
  readChunkedUpload: uploads,
  completeChunkedUpload: uploads,
  sendUploadChunk: { perSecond: 20, burst: 40 },
  sendHeartbeat: guard,
  listPendingSearches: guard,
  listPendingUploads: guard,
  takeWork: guard,
  streamWork: guard,
  sendCatalog: guard,
  removeCatalog: guard,
  listOwnAudit: guard,
}

/** Throws 429 when a device calls an operation faster than C12 allows. Limits hold for this process, for the last `maxKeys` devices. */
export function createDeviceRates(
  maxKeys: number,
): (operationId: string, deviceId: string, nowMs: number) => void {
  const buckets = new Map(
    Object.entries(rates).map(([id, rate]) => [id, createTokenBuckets({ ...rate, maxKeys })]),
  )
  return (operationId, deviceId, nowMs) => {
    const waitMs = buckets.get(operationId)?.take(deviceId, nowMs) ?? 0
    if (waitMs > 0) {
      const { perSecond, burst } = rates[operationId]!
      throw rateLimited(
        `A device can make at most ${perSecond} requests per second, and ${burst} at once. Try again later.`,
        waitMs,
      )
    }
  }
}
