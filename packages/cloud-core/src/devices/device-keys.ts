import { decrypt } from '@homeward/kit'
import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { HttpError } from '@homeward/contract/handler'
import { toTimestamp } from '../context/time.ts'
import type { UserCall } from '../context/cloud-context.ts'
import type { DeviceContext } from './device-context.ts'
import { deviceNotFound } from './find-devices.ts'
import { createApiKey, toStoredKey } from '../keys/api-key.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

const previousKeyMs = 24 * 60 * 60 * 1000

/** What users do with the API keys of their devices. */
export function createDeviceKeys(context: DeviceContext) {
  const { store, keys, polls, now, emit, audit, keyPrefix, keySecret } = context

  async function reveal(call: UserCall, deviceId: string): Promise<Reply<'revealDeviceKey'>> {
    const device = await store.findDevice(call.userId, deviceId)
    if (!device) throw deviceNotFound()
    const apiKey = keySecret && device.key.sealed ? await decrypt(device.key.sealed, keySecret) : undefined
    if (apiKey === undefined) {
      throw new HttpError(404, {
        error: 'API key not available',
        message: 'This server does not store API keys. Rotate the key to get a new one.',
      })
    }
    await audit.record([audit.entryOf(call, 'key:revealed', { deviceId, name: device.name })])
    return { apiKey }
  }

  async function rotate(call: UserCall, deviceId: string): Promise<Reply<'rotateDeviceKey'>> {
    const nowMs = now()
    const apiKey = createApiKey(keyPrefix, context.randomBytes)
    const key = await toStoredKey(apiKey, keySecret)
    const previousUntil = toTimestamp(nowMs + previousKeyMs)
    const entries = [audit.entryOf(call, 'key:rotated', { deviceId })]
    const rotation = { owner: call.userId, deviceId, key, previousUntil, now: toTimestamp(nowMs) }
    const rotated = await store.rotateKey(rotation, entries)
    if (!rotated) throw deviceNotFound()
    keys.forget(rotated.droppedHashes)
    polls.announce([deviceId]) // those that came with a key that counts no more end
    keys.remember(key.hash)
    emit('device:key-rotated', { deviceId, userId: call.userId })
    audit.tell(entries)
    return { apiKey }
  }

  return {
    /** Gives a device's API key where `keySecret` is configured (C14); else 404. */
    revealDeviceKey: reveal,

    /** Gives a device a new API key; the old one works until the new one is first used, at most 24 h (C15). */
    rotateDeviceKey: rotate,
  }
}
