import { createAuditLog, toRetentionDays } from './audit/audit-log.ts'
import { createTimestampClock, type CloudContext } from './cloud-context.ts'
import type { CloudEventBus } from './cloud-event-bus.ts'
import type { CloudOptions } from './cloud-options.ts'
import { createHeldPolls } from './delivery/held-polls.ts'
import { createHeartbeatBuffer } from './devices/heartbeat-buffer.ts'
import { createKeyCache } from './devices/key-cache.ts'
import { defaultOnlineWindowMs, latestBeatAt } from './devices/presence.ts'
import { createClientAddress } from './limits/client-address.ts'
import { createChunkSessions } from './uploads/chunked/chunk-sessions.ts'
import { createLeftoverFiles } from './uploads/leftover-files.ts'
import { createUploadProgress } from './uploads/upload-progress.ts'

/**
 * Puts together what every subject of one cloud shares.
 *
 * @param onError The host's hook, made safe by `quietly`.
 * @throws {TypeError} for an option that cannot be used.
 */
export function createContext(
  options: CloudOptions,
  emit: CloudEventBus['emit'],
  onError: CloudContext['onError'],
): CloudContext {
  const { store, blobs, keyPrefix = 'hw', keySecret, random = Math.random } = options
  const { now = Date.now, onlineWindowMs = defaultOnlineWindowMs } = options
  const latestBeat = () => latestBeatAt(now(), onlineWindowMs)
  const createId = options.createId ?? (() => crypto.randomUUID())
  const retentionDays = toRetentionDays(options.auditRetentionDays)
  return {
    store,
    blobs,
    audit: createAuditLog({ store, now, createId, retentionDays, emit }),
    keys: createKeyCache(random),
    heartbeats: createHeartbeatBuffer(
      store,
      options.flush ?? 'interval',
      latestBeat,
      onError,
      options.timers,
    ),
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
    onlineWindowMs,
    heartbeatIntervalSeconds: options.heartbeatIntervalSeconds,
    maxUploadBytes: options.maxUploadBytes ?? 100 * 1024 * 1024,
    publicUrl: options.publicUrl?.replace(/\/+$/, ''),
    clientAddress: createClientAddress(options.trustedProxies ?? []),
    emit,
    onError,
  }
}

function toChunkSessions(
  { chunks, chunkBytes = 4 * 1024 * 1024 }: CloudOptions,
  now: () => number,
  onError: (error: unknown) => void,
): CloudContext['chunkSessions'] {
  return chunks && createChunkSessions({ chunks, chunkBytes, now, onError })
}
