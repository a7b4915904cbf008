import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import type { BodyOf, QueryOf, ReplyOf } from '@homeward/contract'
import { HttpError } from '@homeward/contract/handler'
import { deviceNotFound, toTimestamp, type CloudContext, type UserCall } from '../cloud-context.ts'
import { repeatedReply, toOnce } from '../idempotency/once.ts'
import { nextCursorOf, toPageRequest } from '../paging/cursor.ts'
import type { StoredFile, StoredUpload } from '../ports/upload-store.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

const ttlMs = 24 * 60 * 60 * 1000

/** 404 for an upload request that does not exist, or not for this caller. */
export const uploadNotFound = () => new HttpError(404, { error: 'Upload request not found' })

/** Where a stored file can be downloaded. */
export function toFileUrl(origin: string, file: StoredFile): string {
  return `${origin}/api/devices/files/${file.blobId}/${encodeURIComponent(file.fileName)}`
}

/** What users do with upload requests. Each call throws {@link HttpError} as documented. */
export function createUploadOperations(context: CloudContext) {
  const { store, polls, now, createId, emit } = context

  return {
    /** Asks devices for a file: all of them, or none (C5, C20). */
    async createUploads(
      call: UserCall,
      body: BodyOf<DeviceCloudOperations['createUploads']>,
    ): Promise<Reply<'createUploads'>> {
      const { userId } = call
      const { filePath, destination } = body
      const nowMs = now()
      const times = { createdAt: toTimestamp(nowMs), expiresAt: toTimestamp(nowMs + ttlMs) }
      const deviceIds = [...new Set(body.deviceIds)]
      const uploads = deviceIds.map((deviceId) => ({
        id: createId(),
        deviceId,
        filePath,
        destination,
        ...times,
      }))
      const reply: Reply<'createUploads'> = {
        success: true,
        uploadRequests: uploads.map(({ id, deviceId }) => ({ id, deviceId, status: 'pending' as const })),
        message: `File requested from ${uploads.length} ${uploads.length === 1 ? 'device' : 'devices'}`,
      }
      const creation = {
        scope: JSON.stringify([userId, 'createUploads']),
        request: body,
        reply: JSON.stringify(reply),
        nowMs,
      }
      const once = toOnce(call.idempotencyKey, creation)
      const outcome = await store.insertUploads(userId, uploads, once)
      if (outcome.kind === 'unknown_device') throw deviceNotFound()
      const repeated = repeatedReply(outcome, once)
      if (repeated !== undefined) return JSON.parse(repeated) as Reply<'createUploads'>
      polls.announce(deviceIds)
      for (const { id, deviceId } of uploads) emit('upload:created', { requestId: id, deviceId, userId })
      return reply
    },

    /** Lists a user's upload requests, newest first (C5, C11). */
    async listUploads(
      call: UserCall,
      query: QueryOf<DeviceCloudOperations['listUploads']> = {},
    ): Promise<Reply<'listUploads'>> {
      const { requestId, deviceId, status } = query
      const filter = {
        ...(requestId && { requestId }),
        ...(deviceId && { deviceId }),
        ...(status && { status }),
      }
      const page = await store.listUploads(call.userId, filter, toPageRequest(query, 100), toTimestamp(now()))
      return { results: page.rows.map((row) => toUpload(row, call.origin ?? '')), ...nextCursorOf(page) }
    },

    /** Cancels an upload request that is not over (C4). */
    async cancelUpload(call: UserCall, id: string): Promise<Reply<'cancelUpload'>> {
      const canceled = await store.cancelUpload(call.userId, id, toTimestamp(now()))
      if (canceled.kind === 'unknown') throw uploadNotFound()
      if (canceled.kind === 'already' && canceled.status !== 'canceled') {
        throw new HttpError(409, {
          error: 'Conflict',
          message: `The upload request is ${canceled.status} already.`,
        })
      }
      if (canceled.kind === 'canceled') {
        emit('upload:settled', {
          requestId: id,
          deviceId: canceled.deviceId,
          userId: call.userId,
          status: 'canceled',
        })
      }
      return { success: true, id, status: 'canceled' }
    },
  }
}

function toUpload(row: StoredUpload, origin: string): Reply<'listUploads'>['results'][number] {
  const { id, deviceId, deviceName, filePath, destination, status, createdAt, completedAt, file, error } = row
  return {
    id,
    device: { id: deviceId, name: deviceName },
    filePath,
    destination,
    status,
    createdAt,
    completedAt,
    ...(file
      ? { fileName: file.fileName, size: file.size, fileUrl: toFileUrl(origin, file), ...file.links }
      : undefined),
    ...(error === null ? undefined : { error }),
  }
}
