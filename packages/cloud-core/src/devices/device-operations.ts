import type {
  DeviceCloudOperations,
  DeviceMetadata,
  DeviceRegistration,
} from '@homeward/contract/device-cloud'
import type { BodyOf, ReplyOf } from '@homeward/contract'
import { HttpError, validationError } from '@homeward/contract/handler'
import { toTimestamp } from '../context/time.ts'
import type { UserCall } from '../context/cloud-context.ts'
import type { DeviceContext } from './device-context.ts'
import { deviceNotFound } from './find-devices.ts'
import { orRepeat, readSecretReply, repeatedReply, toOnce, toSecretOnce } from '../idempotency/once.ts'
import { createApiKey, toStoredKey } from '../keys/api-key.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import { fitsMetadata, maxMetadataBytes } from './merge-metadata.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

/** Searches, and upload requests, of a deleted device for which events are emitted. */
const maxTold = 10_000

/** Throws 400 for metadata that could never be kept (C19). */
export function checkMetadata(metadata: DeviceMetadata): void {
  if (!fitsMetadata(metadata)) throw validationError(`metadata: must have at most ${maxMetadataBytes} bytes`)
}

/** What users do with their devices. Each call throws `HttpError` as the interface documents it. */
export function createDeviceOperations(context: DeviceContext) {
  const { store, cleaning, keys, polls, heartbeats, now, createId, emit, audit } = context
  const { keyPrefix, keySecret, quotas } = context

  async function remove(call: UserCall, deviceId: string): Promise<Reply<'deleteDevice'>> {
    const entries = [audit.entryOf(call, 'device:deleted', { deviceId })]
    const { userId } = call
    const device = await store.findDevice(userId, deviceId)
    if (!device) throw deviceNotFound()
    const tell = await prepareRemoved(context, device)
    const deleted = await store.deleteDevice(userId, deviceId, entries)
    if (!deleted) throw deviceNotFound()
    context.noteDeparture(device)
    tell()
    keys.forgetDevice(deviceId)
    polls.announce([deviceId]) // they end: the key counts no more
    heartbeats.forget(deviceId)
    emit('device:deleted', { deviceId, userId: call.userId })
    audit.tell(entries)
    // The rows are gone, so nobody can reach these files any more: failing to remove one is the host's to know.
    await cleaning.removeFiles(deleted.blobIds)
    void cleaning.run() // what is left of a device with very much
    return { success: true }
  }

  /** The first answer of a repeated registration. It holds the API key, so that giving it is an act of its own. */
  async function repeatRegistration(call: UserCall, sealed: string): Promise<Reply<'registerDevice'>> {
    const reply = await readSecretReply<Reply<'registerDevice'>>(sealed, call)
    const { id, name } = reply.device
    await audit.record([audit.entryOf(call, 'key:revealed', { deviceId: id, name })])
    return reply
  }

  async function register(
    call: UserCall,
    registration: DeviceRegistration,
  ): Promise<Reply<'registerDevice'>> {
    const { name, type, platform, metadata, labels } = registration
    checkMetadata(metadata)
    const { userId, idempotencyKey } = call
    const nowMs = now()
    const createdAt = toTimestamp(nowMs)
    const apiKey = createApiKey(keyPrefix, context.randomBytes)
    const key = await toStoredKey(apiKey, keySecret)
    const device = { id: createId(), name, type, platform, status: 'offline' as const, createdAt }
    const answered = labels.length > 0 ? { ...device, labels } : device
    const scope = [userId, 'registerDevice']
    const asked = toOnce(idempotencyKey, {
      scope: JSON.stringify(scope),
      request: registration,
      reply: '',
      nowMs,
    })
    const earlier = await orRepeat(
      store,
      asked,
      quotas.assertRoom(userId, 'devices', 'Registering the device'),
    )
    if (earlier !== undefined) return repeatRegistration(call, earlier)
    const reply = { device: answered, apiKey }
    const once = await toSecretOnce(idempotencyKey, { scope, request: registration, reply, nowMs })
    const stored = {
      id: device.id,
      owner: userId,
      name,
      type,
      platform,
      metadata,
      lastSeenAt: null,
      createdAt,
      key,
      labels,
    }
    const entries = [audit.entryOf(call, 'device:registered', { deviceId: device.id, name })]
    const repeated = repeatedReply(await store.insertDevice(stored, once, entries), once)
    if (repeated !== undefined) return repeatRegistration(call, repeated)
    keys.remember(key.hash)
    keys.forget([])
    emit('device:registered', { deviceId: device.id, userId })
    audit.tell(entries)
    return reply
  }

  return {
    /** Registers a device and gives its API key, once (C14). A repeat under the same idempotency key gives the same key. */
    registerDevice: (call: UserCall, registration: DeviceRegistration): Promise<Reply<'registerDevice'>> =>
      quotas.inTurn(call.userId, () => register(call, registration)),

    /** Deletes a device with its searches and files, and revokes its key at once (C15). */
    deleteDevice: remove,

    /** Deletes many devices: what is unknown is passed over. */
    deleteDevices: (call: UserCall, body: BodyOf<DeviceCloudOperations['deleteDevices']>) =>
      removeAll(body.deviceIds, (id) => remove(call, id)),
  }
}

/** Reads what waits for a device that is to be deleted. @returns what emits the events of it afterwards */
async function prepareRemoved(
  { store, now, emit }: DeviceContext,
  { id: deviceId, owner: userId }: StoredDevice,
): Promise<() => void> {
  const at = toTimestamp(now())
  const [searches, uploads] = await Promise.all([
    store.listPendingSearches(deviceId, maxTold, at),
    store.listPendingUploads(deviceId, maxTold, at),
  ])
  return () => {
    const ended = { deviceId, userId, status: 'failed', outcome: 'removed' } as const
    for (const { id: searchId } of searches) emit('search:settled', { searchId, ...ended })
    for (const { id: requestId } of uploads) emit('upload:settled', { requestId, ...ended })
  }
}

/** Deletes one device after the other. */
async function removeAll(
  deviceIds: readonly string[],
  remove: (id: string) => Promise<unknown>,
): Promise<Reply<'deleteDevices'>> {
  let deleted = 0
  for (const id of new Set(deviceIds)) {
    try {
      await remove(id)
      deleted += 1
    } catch (error) {
      if (!(error instanceof HttpError && error.status === 404)) throw error
    }
  }
  return { deleted }
}
