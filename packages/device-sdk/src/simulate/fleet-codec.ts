import { ClientError } from '@homeward/contract/client'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import type { ReplyOf } from '@homeward/contract'
import type { PlainReply } from '@homeward/contract/handler'
import * as z from 'zod/mini'
import { toDeviceCloudError } from '../client/to-device-cloud-error.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import type { DeviceCall } from './fleet-log.ts'

type Reply<Id extends DeviceCall> = ReplyOf<(typeof deviceCloudOperations)[Id]>

/** Writes bodies and reads answers, for all devices of a fleet: most of theirs are equal. */
export interface FleetCodec {
  toBytes(body: unknown): Uint8Array
  /** @throws {DeviceCloudError} what the client of a real device throws for such an answer. */
  readReply<Id extends DeviceCall>(id: Id, reply: PlainReply): Reply<Id>
}

/** Builds a codec that remembers what it read last of each operation. */
export function createFleetCodec(): FleetCodec {
  const encoder = new TextEncoder()
  const written = new WeakMap<object, Uint8Array>()
  const read = new Map<DeviceCall, { readonly text: string; readonly parsed: unknown }>()
  const refused = new Map<string, Error>()

  function parse(id: DeviceCall, text: string): unknown {
    const last = read.get(id)
    if (last?.text === text) return last.parsed
    const parsed = z.safeParse(deviceCloudOperations[id].reply, JSON.parse(text))
    if (!parsed.success) {
      const problem = 'the simulated cloud sent an unexpected response'
      throw new DeviceCloudError('BAD_REPLY', `${id} failed: ${problem}.`)
    }
    read.set(id, { text, parsed: parsed.data })
    return parsed.data
  }

  function toError(id: DeviceCall, status: number, retryAfter: string | undefined): Error {
    const key = `${id} ${status} ${retryAfter}`
    const known = refused.get(key)
    if (known) return known
    const seconds = Number(retryAfter)
    const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined
    const message = `${id} failed: the simulated cloud responded with ${status}.`
    const error = toDeviceCloudError(new ClientError('HTTP', message, { status, retryAfterMs }))
    refused.set(key, error)
    return error
  }

  return {
    toBytes(body) {
      const key = body as object
      const known = written.get(key)
      if (known) return known
      const bytes = encoder.encode(JSON.stringify(body))
      written.set(key, bytes)
      return bytes
    },
    readReply<Id extends DeviceCall>(id: Id, { status, headers, body }: PlainReply) {
      if (status > 299) throw toError(id, status, headers['retry-after'])
      // Parsed by the schema of this operation.
      return parse(id, typeof body === 'string' ? body : '') as Reply<Id>
    },
  }
}
