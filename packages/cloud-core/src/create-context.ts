import type { EventEmitter } from 'eventemitter3'
import { createAuditLog, toRetentionDays } from './audit/audit-log.ts'
import { createTimestampClock, type CloudContext } from './cloud-context.ts'
import type { CloudEvents } from './cloud-events.ts'
import type { CloudOptions } from './cloud-options.ts'
import { createHeldPolls } from './delivery/held-polls.ts'
import { createHeartbeatBuffer } from './devices/heartbeat-buffer.ts'
import { createKeyCache } from './devices/key-cache.ts'
import { defaultOnlineWindowMs } from './devices/presence.ts'
import { createClientAddress } from './limits/client-address.ts'
import { createChunkSessions } from './uploads/chunked/chunk-sessions.ts'
import { createLeftoverFiles } from './uploads/leftover-files.ts'
import { createUploadProgress } from './uploads/upload-progress.ts'

/**
 * Puts together what every subject of one cloud shares.
 *
 * @throws {TypeError} for an option that cannot be used.
 */
export function createContext(options: CloudOptions, events: EventEmitter<CloudEvents>): CloudContext {
  const { store, blobs, keyPrefix = 'hw', keySecret, random = Math.random, onError = () => {} } = options
  const { now = Date.now } = options
  if (!/^[a-z][a-z0-9]{0,15}$/.test(keyPrefix)) {
    throw new TypeError(
      'Creating the cloud: keyPrefix must be 1 to 16 lower-case letters and digits, a letter first',
    )
  }
  if (keySecret !== undefined && keySecret.length < 16) {
    throw new TypeError('Creating the cloud: keySecret must have at least 16 characters')
  }
  const createId = options.createId ?? (() => crypto.randomUUID())
  const emit: CloudContext['emit'] = (name, event) => {
    try {
      // The emitter's argument tuple cannot be computed from a generic name; the signature of `emit` checks it.
      ;(events as unknown as EventEmitter).emit(name, event)
    } catch (error) {
      onError(error)
    }
  }
  const retentionDays = toRetentionDays(options.auditRetentionDays)
  return {
    store,
    blobs,
    audit: createAuditLog({ store, now, createId, retentionDays, emit }),
    keys: createKeyCache(random),
    heartbeats: createHeartbeatBuffer(store, options.flush ?? 'interval', onError, options.timers),
    polls: createHeldPolls(options.timers),
    leftovers: createLeftoverFiles({ store, blobs, now, onError }),
    progress: createUploadProgress(now),
    chunkSessions: toChunkSessions(options, now, onError),
    now,
    clock: createTimestampClock(now),
    createId,
    random,
    randomBytes: options.randomBytes ?? ((size) => crypto.getRandomValues(new Uint8Array(size))),
    keyPrefix,
    keySecret,
    onlineWindowMs: options.onlineWindowMs ?? defaultOnlineWindowMs,
    heartbeatIntervalSeconds: options.heartbeatIntervalSeconds,
    maxUploadBytes: options.maxUploadBytes ?? 100 * 1024 * 1024,
    clientAddress: createClientAddress(options.trustedProxies ?? []),
    emit,
    onError,
  }
}

function toChunkSessions(
  { blobs, chunks, chunkBytes = 4 * 1024 * 1024 }: CloudOptions,
  now: () => number,
  onError: (error: unknown) => void,
): CloudContext['chunkSessions'] {
  if (!Number.isInteger(chunkBytes) || chunkBytes < 65_536 || chunkBytes > 67_108_864)
    throw new TypeError('Creating the cloud: chunkBytes must be 65,536 to 67,108,864')
  if (chunks !== undefined && chunks === blobs)
    throw new TypeError('Creating the cloud: chunks must be a store of its own, not the one of blobs')
  return chunks && createChunkSessions({ chunks, chunkBytes, now, onError })
}
