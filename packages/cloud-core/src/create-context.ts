import { toBase64Url } from '@homeward/kit'
import { createAuditLog, toRetentionDays } from './audit/audit-log.ts'
import { createTimestampClock, type CloudContext } from './cloud-context.ts'
import type { CloudEventBus } from './cloud-event-bus.ts'
import type { CloudOptions } from './cloud-options.ts'
import { createLongPolls } from './delivery/long-polls.ts'
import { createHeartbeatBuffer } from './devices/heartbeat-buffer.ts'
import { createOfflineWatch, quietTimers, type OfflineWatch } from './devices/offline-watch.ts'
import { createOfflineShare } from './devices/offline-share.ts'
import { createKeyCache } from './devices/key-cache.ts'
import { defaultOnlineWindowMs, latestBeatAt } from './devices/presence.ts'
import { timeStore } from './metrics/timed-store.ts'
import type { CloudStore } from './ports/cloud-store.ts'
import { createEventStreams } from './events/event-streams.ts'
import { createStrangerLimits } from './enrollments/stranger-limits.ts'
import { createUserCodes } from './enrollments/user-codes.ts'
import { createClientAddress } from './limits/client-address.ts'
import { createCleaning } from './retention/cleaning.ts'
import { createTokenCache } from './tokens/token-cache.ts'
import { createGroupWork } from './searches/group-work.ts'
import { createSettledGroups } from './searches/settled-groups.ts'
import { createResultFiles } from './searches/result-files.ts'
import { createChunkSessions } from './uploads/chunked/chunk-sessions.ts'
import { createLeftoverFiles } from './uploads/leftover-files.ts'
import { createUploadProgress } from './uploads/upload-progress.ts'
import { createCloudWebhooks } from './webhooks/create-cloud-webhooks.ts'

/** How long a heartbeat may wait in another process, in milliseconds: the pause between two batches, and their writing. */
const flushSlackMs = 6000

/**
 * Puts together what every subject of one cloud shares.
 *
 * @param onError The host's hook, made safe by `safeHook`.
 * @throws {TypeError} for an option that cannot be used.
 */
export function createContext(
  options: CloudOptions,
  emit: CloudEventBus['emit'],
  onError: CloudContext['onError'],
  meters: CloudContext['meters'],
): CloudContext {
  const { blobs, keyPrefix = 'hw', keySecret, random = Math.random } = options
  const { maxCachedKeys = 200_000, meter, retention, timers } = options
  const store = meter ? timeStore(options.store, meter) : options.store
  const { now = Date.now, onlineWindowMs = defaultOnlineWindowMs } = options
  const createId = options.createId ?? (() => crypto.randomUUID())
  const retentionDays = toRetentionDays(options.auditRetentionDays)
  const randomBytes = options.randomBytes ?? ((size) => crypto.getRandomValues(new Uint8Array(size)))
  const leftovers = createLeftoverFiles({ store, blobs, now, onError })
  const keys = createKeyCache(random, maxCachedKeys)
  const tokens = createTokenCache()
  const polls = createLongPolls(options.timers)
  const presence = createPresence({ ...options, store }, now, emit, onError)
  const onGone = (hashes: readonly string[], deviceIds: readonly string[]) => {
    keys.forget(hashes)
    tokens.forget(hashes)
    polls.announce(deviceIds) // they end: their keys count no more
    for (const id of deviceIds) presence.heartbeats.forget(id)
  }
  const audit = createAuditLog({ store, now, createId, retentionDays, emit })
  const cleaning = createCleaning({ store, blobs, retention, now, onGone, onError, timers })
  const settledGroups = createSettledGroups({ store, now, emit, onError, timers: timers ?? quietTimers })
  const parts = {
    store,
    settledGroups,
    cleaning,
    audit,
    polls,
    now,
    createId,
    onlineWindowMs,
    emit,
    onError,
    ...presence,
  }
  return {
    store,
    blobs,
    keys,
    meters,
    tokens,
    polls,
    ...presence,
    timers,
    cleaning,
    audit,
    settledGroups,
    groupWork: createGroupWork({ ...parts, timers: timers ?? quietTimers }),
    eventStreams: createEventStreams({
      store,
      now,
      timers: options.timers ?? quietTimers,
      createName: () => toBase64Url(randomBytes(9)),
    }),
    leftovers,
    resultFiles: createResultFiles({
      blobs,
      maxRowBytes: options.maxRowResultBytes ?? 64 * 1024,
      randomBytes,
      noteFile: () => leftovers.noteUpload(),
      onError,
    }),
    progress: createUploadProgress(now),
    chunkSessions: toChunkSessions(options, now, onError),
    webhooks: toWebhooks(options, { now, random, onError }),
    now,
    clock: createTimestampClock(now),
    createId,
    random,
    randomBytes,
    keyPrefix,
    maxCachedKeys,
    keySecret,
    onlineWindowMs,
    heartbeatIntervalSeconds: options.heartbeatIntervalSeconds,
    maxUploadBytes: options.maxUploadBytes ?? 100 * 1024 * 1024,
    publicUrl: options.publicUrl?.replace(/\/+$/, ''),
    pairingUrl: options.pairingUrl,
    userCodes: createUserCodes(store, randomBytes),
    strangers: createStrangerLimits(),
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

function toWebhooks(
  { webhooks: sender, store, keySecret, timers }: CloudOptions,
  shared: Pick<CloudContext, 'now' | 'random' | 'onError'>,
): CloudContext['webhooks'] {
  return sender && createCloudWebhooks({ ...shared, sender, store, keySecret, timers })
}

/** Heartbeats on their way to the store, and what watches for those that stay away. */
function createPresence(
  options: CloudOptions,
  now: () => number,
  emit: CloudEventBus['emit'],
  onError: (error: unknown) => void,
): Pick<CloudContext, 'heartbeats' | 'offlineWatch'> {
  const { store, timers, flush = 'interval', offlineShare = 0.2 } = options
  const { onlineWindowMs = defaultOnlineWindowMs } = options
  const writeHeartbeats: CloudStore['writeHeartbeats'] = (...input) =>
    store.writeHeartbeats(...input).catch((error: unknown) => {
      offlineWatch.noteOutage()
      throw error
    })
  const latestBeat = () => latestBeatAt(now(), onlineWindowMs)
  const heartbeats = createHeartbeatBuffer({ writeHeartbeats }, flush, latestBeat, onError, timers)
  const offlineWatch: OfflineWatch = createOfflineWatch({
    store,
    now,
    timers: timers ?? quietTimers,
    onlineWindowMs,
    slackMs: store.subscribe && flush === 'interval' ? flushSlackMs : 0,
    flush: heartbeats.flush,
    emit,
    onOffline: createOfflineShare({ store, now, onlineWindowMs, threshold: offlineShare, emit }),
    onError,
  })
  return { heartbeats, offlineWatch }
}
