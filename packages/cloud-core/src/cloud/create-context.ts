import { toBase64Url, createClientAddress, createRequestOrigin } from '@homeward/kit'
import { toBasePath } from '@homeward/contract/handler'
import { createDepartures, type Departures } from '../access/sight.ts'
import type { RetentionOptions } from '../retention/retention-options.ts'
import { createAuditLog, toRetentionDays } from '../audit/audit-log.ts'
import type { CloudContext } from '../context/cloud-context.ts'
import type { DeviceCloudOptions } from './cloud-options.ts'
import type { DeviceContext } from '../devices/device-context.ts'
import type { EnrollmentContext } from '../enrollments/enrollment-context.ts'
import type { CloudMeters } from '../metrics/cloud-meters.ts'
import { createDueRuns } from '../saved-searches/due-runs.ts'
import type { SearchContext } from '../searches/search-context.ts'
import type { TokenContext } from '../tokens/authenticate-token.ts'
import type { UploadContext } from '../uploads/upload-context.ts'
import { createLongPolls } from '../delivery/long-polls.ts'
import { createHeartbeatBuffer } from '../devices/heartbeat-buffer.ts'
import { createTimestampClock, quietTimers } from '../context/time.ts'
import { createOfflineWatch, type OfflineWatch } from '../devices/offline-watch.ts'
import { createOfflineShare } from '../devices/offline-share.ts'
import { createKeyCache } from '../devices/key-cache.ts'
import { defaultOnlineWindowMs, latestBeatAt } from '../devices/presence.ts'
import { timeStore } from '../metrics/timed-store.ts'
import { createQuotas } from '../limits/quotas.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import { createEventStreams, type EventStreams } from '../events/event-streams.ts'
import { createStrangerLimits } from '../enrollments/stranger-limits.ts'
import { createUserCodes } from '../enrollments/user-codes.ts'
import { createCleaning } from '../retention/cleaning.ts'
import { createTokenCache } from '../tokens/token-cache.ts'
import { createGroupWork } from '../searches/group-work.ts'
import { createSettledGroups } from '../searches/settled-groups.ts'
import { createCatalogAnswers } from '../catalogs/catalog-answers.ts'
import { createResultFiles } from '../searches/result-files.ts'
import { createChunkSessions } from '../uploads/chunked/chunk-sessions.ts'
import { createLeftoverFiles } from '../uploads/leftover-files.ts'
import { createUploadProgress } from '../uploads/upload-progress.ts'
import { createCloudWebhooks, type WebhookContext } from '../webhooks/create-cloud-webhooks.ts'

/** Everything that a cloud is made of. */
export interface CloudServices
  extends DeviceContext, SearchContext, EnrollmentContext, UploadContext, TokenContext, WebhookContext {
  readonly eventStreams: EventStreams
  readonly departures: Departures
  /** How long the cloud stores what has ended. */
  readonly retention: RetentionOptions | undefined
}

/** How long a heartbeat may wait in another process, in milliseconds: the pause between two batches, and their writing. */
const flushSlackMs = 6000

/**
 * Puts together what the rooms of one cloud share, and what each of them adds.
 *
 * @param onError The host's hook, made safe by `safeHook`.
 * @throws {TypeError} for an option that cannot be used.
 */
export function createContext(
  options: DeviceCloudOptions,
  emit: CloudContext['emit'],
  onError: CloudContext['onError'],
  meters: CloudMeters,
): CloudServices {
  const departures = createDepartures()
  const shared = createShared(options, emit, onError, departures)
  const { store, blobs, now, random, randomBytes, keySecret } = shared
  const {
    maxCachedKeys = 200_000,
    retention,
    chunks,
    chunkBytes = 4 * 1024 * 1024,
    webhooks: sender,
  } = options
  const timers = options.timers ?? quietTimers
  const keys = createKeyCache(random, maxCachedKeys)
  const tokens = createTokenCache()
  const polls = createLongPolls(options.timers)
  const presence = createPresence(options, shared)
  const retentionDays = toRetentionDays(options.auditRetentionDays)
  const audit = createAuditLog({ ...shared, retentionDays })
  const cleaning = createCleaning({
    ...shared,
    retention,
    onGone(hashes, deviceIds) {
      keys.forget(hashes)
      tokens.forget(hashes)
      polls.announce(deviceIds) // they end: their keys count no more
      for (const id of deviceIds) presence.heartbeats.forget(id)
    },
  })
  const settledGroups = createSettledGroups({ ...shared, timers })
  const dueRuns = createDueRuns({ ...shared, ...presence, audit })
  const leftovers = createLeftoverFiles(shared)
  return {
    ...shared,
    ...presence,
    departures,
    retention,
    meters,
    keys,
    maxCachedKeys,
    tokens,
    polls,
    audit,
    cleaning,
    settledGroups,
    groupWork: createGroupWork({
      ...shared,
      ...presence,
      timers,
      polls,
      cleaning,
      settledGroups,
      runDueSearches: dueRuns.run,
    }),
    eventStreams: createEventStreams({
      store,
      now,
      timers,
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
    catalogAnswers: createCatalogAnswers(shared),
    progress: createUploadProgress(now),
    chunkSessions: chunks && createChunkSessions({ chunks, chunkBytes, now, onError }),
    webhooks: sender && createCloudWebhooks({ ...shared, departures, sender, keySecret }),
    heartbeatIntervalSeconds: options.heartbeatIntervalSeconds,
    maxUploadBytes: options.maxUploadBytes ?? 100 * 1024 * 1024,
    pairingUrl: options.pairingUrl,
    userCodes: createUserCodes(store, randomBytes),
    strangers: createStrangerLimits(),
  }
}

/** What all rooms share. */
function createShared(
  options: DeviceCloudOptions,
  emit: CloudContext['emit'],
  onError: CloudContext['onError'],
  { note: noteDeparture }: Departures,
): CloudContext {
  const { store, blobs, meter, timers, keySecret, keyPrefix = 'hw', random = Math.random } = options
  const { now = Date.now, onlineWindowMs = defaultOnlineWindowMs } = options
  const basePath = toBasePath(options.basePath)
  const requestOrigin = createRequestOrigin(options.trustedProxies ?? [])
  const timed = meter ? timeStore(store, meter) : store
  return {
    store: timed,
    quotas: createQuotas(timed, options.quotas ?? {}, now),
    noteDeparture,
    blobs,
    timers,
    now,
    clock: createTimestampClock(now),
    createId: options.createId ?? crypto.randomUUID.bind(crypto),
    random,
    randomBytes: options.randomBytes ?? ((size) => crypto.getRandomValues(new Uint8Array(size))),
    keyPrefix,
    keySecret,
    onlineWindowMs,
    basePath,
    publicUrl: toPublicUrl(options.publicUrl, basePath),
    clientAddress: createClientAddress(options.trustedProxies ?? []),
    requestOrigin: (request) => requestOrigin(request) + basePath,
    emit,
    onError,
  }
}

/** An address that already ends with the base path stays. */
function toPublicUrl(given: string | undefined, basePath: string): string | undefined {
  const address = given?.replace(/\/+$/, '')
  return address === undefined || address.endsWith(basePath) ? address : address + basePath
}

/** Heartbeats on their way to the store, and what watches for those that stay away. */
function createPresence(
  { timers, flush = 'interval', offlineShare = 0.2 }: DeviceCloudOptions,
  { store, now, onlineWindowMs, emit, onError }: CloudContext,
): Pick<DeviceContext, 'heartbeats' | 'offlineWatch'> {
  const writeHeartbeats: CloudStore['writeHeartbeats'] = (...input) =>
    store.writeHeartbeats(...input).catch((error: unknown) => {
      offlineWatch.noteOutage()
      throw error
    })
  const latestBeat = () => latestBeatAt(now(), onlineWindowMs)
  const heartbeats = createHeartbeatBuffer({
    store: { writeHeartbeats },
    flush,
    now,
    restMs: onlineWindowMs / 3,
    latestBeat,
    onError,
    timers,
  })
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
