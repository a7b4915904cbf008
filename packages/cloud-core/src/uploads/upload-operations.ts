import {
  createNameMatcher,
  type DeviceCloudOperations,
  quotaExceededError,
} from '@homeward/contract/device-cloud'
import type { BodyOf, QueryOf, ReplyOf } from '@homeward/contract'
import { HttpError } from '@homeward/contract/handler'
import { toTimestamp } from '../context/time.ts'
import type { UserCall } from '../context/cloud-context.ts'
import type { UploadContext } from './upload-context.ts'
import { orRepeat, repeatedReply, toOnce } from '../idempotency/once.ts'
import { nextCursorOf, toPageRequest } from '../paging/cursor.ts'
import { readShownPage } from '../paging/read-shown-page.ts'
import { subjectOf } from '../audit/audit-log.ts'
import type { BlobLinks } from '../ports/blob-store.ts'
import { createDeviceFinder, deviceNotFound } from '../devices/find-devices.ts'
import { findTarget, toAuditedTarget, whileDevicesChange, type WorkTarget } from '../searches/find-target.ts'
import type { NewGroup } from '../ports/group-store.ts'
import type { PageRequest } from '../ports/page.ts'
import type { NewUpload, StoredFile, StoredUpload } from '../ports/upload-store.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

/** Upload requests that are read at once to find those of a name. */
const readAtOnce = 500
const ttlMs = 24 * 60 * 60 * 1000

/** 404 for an upload request that does not exist, or not for this caller. */
export const uploadNotFound = () => new HttpError(404, { error: 'Upload request not found' })

/** Where a stored file can be downloaded. */
export function toFileUrl(origin: string, file: StoredFile): string {
  return `${origin}/api/devices/files/${file.blobId}/${encodeURIComponent(file.fileName)}`
}

/** Links of a stored file as they are now: those of some stores expire, and are made anew (C13). */
export async function currentLinks(
  { blobs, onError }: Pick<UploadContext, 'blobs' | 'onError'>,
  file: StoredFile,
): Promise<BlobLinks> {
  if (blobs.linksOf === undefined) return file.links
  try {
    return { ...file.links, ...(await blobs.linksOf(file.blobId)) }
  } catch (error) {
    onError(error)
    return file.links
  }
}

/** What users do with upload requests. Each call throws {@link HttpError} as documented. */
export function createUploadOperations(context: UploadContext) {
  const { store, now, createId, emit, audit, polls, groupWork, settledGroups, quotas } = context
  const finder = createDeviceFinder(context)

  async function create(
    call: UserCall,
    body: BodyOf<DeviceCloudOperations['createUploads']>,
  ): Promise<Reply<'createUploads'>> {
    const { userId, idempotencyKey } = call
    const nowMs = now()
    const scope = JSON.stringify([userId, 'createUploads'])
    const target = await findTarget(finder, userId, body)
    const { count } = target
    const attempt = 'Requesting the file'
    const refusing = async () => {
      await quotas.assertRoom(userId, 'storedBytes', attempt)
      const { deviceIds } = target
      return quotas.refuse({ owner: userId, kind: 'upload', deviceIds, isGroup: count !== 1, attempt })
    }
    const asked = toOnce(idempotencyKey, { scope, request: body, reply: '', nowMs })
    const refused = await orRepeat(store, asked, refusing())
    if (typeof refused === 'string') return JSON.parse(refused) as Reply<'createUploads'>
    const { group, uploads } = toGroupOfUploads(call, body, { ...target, refused }, createId, nowMs)
    const reply: Reply<'createUploads'> = {
      success: true,
      groupId: group.id,
      uploadRequests: uploads.map(({ id, deviceId, refused: reason }) => ({
        id,
        deviceId,
        status: reason === undefined ? ('pending' as const) : ('failed' as const),
      })),
      message: `File requested from ${count} ${count === 1 ? 'device' : 'devices'}`,
    }
    const entries = [
      audit.entryOf(call, 'upload:created', {
        ...subjectOf(group.id, uploads, toAuditedTarget(target)),
        name: body.filePath,
      }),
    ]
    const once = toOnce(idempotencyKey, { scope, request: body, reply: JSON.stringify(reply), nowMs })
    const outcome = await store.insertUploads(userId, uploads, once, entries, group)
    if (outcome.kind === 'unknown_device') throw deviceNotFound()
    const repeated = repeatedReply(outcome, once)
    // It was written above, by the first of the requests.
    if (repeated !== undefined) return JSON.parse(repeated) as Reply<'createUploads'>
    polls.announce(target.deviceIds)
    if (target.rest !== null) groupWork.wake()
    settledGroups.expect(Date.parse(group.expiresAt))
    for (const { id, deviceId } of uploads) emit('upload:created', { requestId: id, deviceId, userId })
    audit.tell(entries)
    return reply
  }

  async function cancel(call: UserCall, id: string): Promise<Reply<'cancelUpload'>> {
    const { userId } = call
    const entries = [audit.entryOf(call, 'upload:canceled', { subjectId: id })]
    const canceled = await store.cancelUpload(userId, id, toTimestamp(now()), entries)
    if (canceled.kind === 'unknown') throw uploadNotFound()
    if (canceled.kind === 'already' && canceled.status !== 'canceled') {
      throw new HttpError(409, {
        error: 'Conflict',
        message: `The upload request is already ${canceled.status}.`,
      })
    }
    if (canceled.kind === 'canceled' && !canceled.again) {
      const { deviceId } = canceled
      emit('upload:settled', { requestId: id, deviceId, userId, status: 'canceled', outcome: 'canceled' })
      audit.tell(entries.map((entry) => ({ ...entry, deviceId })))
    }
    return { success: true, id, status: 'canceled' }
  }

  return {
    /** Asks devices for a file: all of them, or none (C5, C20). */
    createUploads: (call: UserCall, body: BodyOf<DeviceCloudOperations['createUploads']>) =>
      whileDevicesChange(body, () => quotas.inTurn(call.userId, () => create(call, body))),

    /** Lists a user's upload requests, newest first (C5, C11). */
    listUploads: createUploadList(context),

    /** Cancels an upload request that is not over (C4). */
    cancelUpload: cancel,
  }
}

/** Those of the rows whose path or name matches a text, as in a search for files (C27). */
function createPathFilter(query: string): (rows: readonly StoredUpload[]) => readonly StoredUpload[] {
  const { matches } = createNameMatcher(query, { matchesAll: true })
  const isMatch = ({ filePath }: StoredUpload) => {
    const path = () => filePath.replaceAll('\\', '/')
    return matches({ name: path().split('/').at(-1) ?? '', path, fullPath: path })
  }
  return (rows) => rows.filter(isMatch)
}

/** The requests for a file, one for each device, and their group. */
function toGroupOfUploads(
  { actor }: UserCall,
  { filePath, destination }: BodyOf<DeviceCloudOperations['createUploads']>,
  { deviceIds, filter, rest, refused }: WorkTarget & { readonly refused: ReadonlySet<string> },
  createId: () => string,
  nowMs: number,
): { readonly group: NewGroup; readonly uploads: readonly NewUpload[] } {
  const asked = {
    ...(actor && { actor }),
    createdAt: toTimestamp(nowMs),
    expiresAt: toTimestamp(nowMs + ttlMs),
  }
  const groupId = createId()
  const uploads = deviceIds.map((deviceId) => ({
    id: createId(),
    deviceId,
    groupId,
    filePath,
    destination,
    ...(refused.has(deviceId) && { refused: quotaExceededError }),
    ...asked,
  }))
  const group = { id: groupId, kind: 'upload' as const, query: filePath, scope: [], ...asked }
  return { group: { ...group, filter, savedSearchId: null, rest }, uploads }
}

async function toUpload(
  context: UploadContext,
  row: StoredUpload,
  origin: string,
): Promise<Reply<'listUploads'>['results'][number]> {
  const {
    id,
    deviceId,
    deviceName,
    groupId,
    filePath,
    destination,
    status,
    createdAt,
    completedAt,
    file,
    error,
  } = row
  const links = file && (await currentLinks(context, file))
  return {
    id,
    device: { id: deviceId, name: deviceName },
    ...(groupId === null ? undefined : { groupId }),
    filePath,
    destination,
    status,
    createdAt,
    completedAt,
    ...(status === 'uploading' ? context.progress.of(id) : undefined),
    ...(file
      ? { fileName: file.fileName, size: file.size, fileUrl: toFileUrl(origin, file), ...links }
      : undefined),
    ...(error === null ? undefined : { error }),
  }
}

/** Lists upload requests, also by words of their name or folder. */
function createUploadList(context: UploadContext) {
  const { store, now } = context
  return async function list(
    call: UserCall,
    query: QueryOf<DeviceCloudOperations['listUploads']> = {},
  ): Promise<Reply<'listUploads'>> {
    const { requestId, deviceId, groupId, status } = query
    const filter = {
      ...(requestId && { requestId }),
      ...(deviceId && { deviceId }),
      ...(groupId && { groupId }),
      ...(status && { status }),
    }
    // A call of the host's own has no request to take it from.
    const origin = call.origin ?? context.publicUrl ?? context.basePath
    const asked = toPageRequest(query, 100)
    const read = (page: PageRequest) => store.listUploads(call.userId, filter, page, toTimestamp(now()))
    const page =
      query.query === undefined
        ? await read(asked)
        : await readShownPage(
            asked,
            (part) => read({ ...part, limit: readAtOnce }),
            createPathFilter(query.query),
          )
    const results = await Promise.all(page.rows.map((row) => toUpload(context, row, origin)))
    return { results, ...nextCursorOf(page) }
  }
}
