import type { DeviceAccess, DeviceCloudOperations } from '@homeward/contract/device-cloud'
import type { Call, HandlersOf, RequestView, Respond } from '@homeward/contract/handler'
import type { UserCall } from '../context/cloud-context.ts'
import type { CloudServices } from './create-context.ts'
import type { AuthenticateDevice, Callers } from './create-authenticators.ts'
import { createOwnAudit } from '../audit/audit-operations.ts'
import { createEventSight } from '../access/limit-store.ts'
import type { ShowsEvent } from '../events/event-feed.ts'
import { createCatalogDelivery } from '../catalogs/catalog-operations.ts'
import { preferredWaitSeconds, type LongPolls } from '../delivery/long-polls.ts'
import type { PendingPoll } from '../delivery/read-pending.ts'
import { createHeartbeatOperation, createPresenceNotes } from '../devices/heartbeat-operation.ts'
import { createWorkOperations } from '../devices/work-operations.ts'
import { createEnrollmentCalls } from '../enrollments/enroll-device.ts'
import { createMcpHandlers } from '../mcp/mcp-handlers.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import { createSearchDelivery } from '../searches/search-delivery.ts'
import { isTokenValid, type CallerSession } from '../tokens/authenticate-token.ts'
import { createChunkOperations } from '../uploads/chunked/chunk-operations.ts'
import { createUploadReceiver } from '../uploads/receive-upload.ts'
import { createUploadDelivery } from '../uploads/upload-delivery.ts'
import { createEntityTags, type EntityTags } from './entity-tags.ts'
import type { UserOperations } from './user-operations.ts'

/** What devices do. */
export function createDeviceSide(context: CloudServices) {
  const notes = createPresenceNotes(context)
  return {
    ...createSearchDelivery(context),
    ...createUploadDelivery(context),
    receiveUpload: createUploadReceiver(context),
    ...createChunkOperations(context),
    sendHeartbeat: createHeartbeatOperation(context, notes),
    ...createWorkOperations(context, notes),
    ...createEnrollmentCalls(context),
    ...createCatalogDelivery(context),
    ...createOwnAudit(context),
  }
}

type HandlerContext = Pick<
  CloudServices,
  | 'polls'
  | 'eventStreams'
  | 'chunkSessions'
  | 'clientAddress'
  | 'requestOrigin'
  | 'publicUrl'
  | 'timers'
  | 'onError'
  | 'store'
  | 'departures'
  | 'tokens'
  | 'now'
>

/** Each operation's call, handed to its subject. */
export function createHandlers(
  users: UserOperations,
  devices: ReturnType<typeof createDeviceSide>,
  context: HandlerContext,
  authenticateDevice: AuthenticateDevice,
  respond: Respond,
): Omit<HandlersOf<DeviceCloudOperations, Callers>, 'readMetrics'> {
  const { polls, eventStreams, clientAddress, requestOrigin, publicUrl } = context
  const originOf = (request: RequestView) => publicUrl ?? requestOrigin(request)
  const asUser = ({ caller, request }: Pick<SessionCall, 'caller' | 'request'>): UserCall => ({
    userId: caller.userId,
    actor: caller.actor,
    may: caller.may,
    access: caller.token?.filter,
    until: caller.token?.expiresAt ?? undefined,
    idempotencyKey: request.header('idempotency-key'),
    origin: originOf(request),
    address: request.remoteAddress === undefined ? undefined : clientAddress(request),
  })
  const tags = createEntityTags()
  const changeDevice = <Reply extends object>(call: NamedCall, change: () => Promise<Reply>) =>
    tags.change(call, call.params.id, () => users.getDevice(asUser(call), call.params.id), change)
  const changeSavedSearch = <Reply extends object>(call: NamedCall, change: () => Promise<Reply>) =>
    tags.change(call, call.params.id, () => users.getSavedSearch(asUser(call), call.params.id), change)
  return {
    ...createDeviceHandlers(devices, context, originOf, authenticateDevice),
    async enrollDevice({ body, request, markPending }) {
      const reply = await devices.enrollDevice(body, request, originOf(request))
      if (reply.enrollment.status !== 'approved') markPending()
      return reply
    },
    readEnrollment: (call) =>
      devices.readEnrollment(call.caller, call.params.id, call.request, waitOf(call, polls, call.params.id)),
    findEnrollment: (call) => users.findEnrollment(asUser(call), call.query),
    approveEnrollment: (call) => users.approveEnrollment(asUser(call), call.params.id, call.body),
    denyEnrollment: (call) => users.denyEnrollment(asUser(call), call.params.id),
    createEnrollmentToken: (call) => secret(call, users.createEnrollmentToken(asUser(call), call.body)),
    listEnrollmentTokens: (call) => users.listEnrollmentTokens(asUser(call)),
    revokeEnrollmentToken: (call) => users.revokeEnrollmentToken(asUser(call), call.params.id),
    listDevices: (call) => users.listDevices(asUser(call), call.query),
    getDevice: (call) => tags.show(call, users.getDevice(asUser(call), call.params.id)),
    getDevicePresence: (call) => users.getDevicePresence(asUser(call), call.params.id, call.query),
    updateDevice: (call) =>
      changeDevice(call, () => users.updateDevice(asUser(call), call.params.id, call.body)),
    updateDevices: (call) => users.updateDevices(asUser(call), call.body),
    registerDevice: (call) => secret(call, users.registerDevice(asUser(call), call.body)),
    createSearches: (call) => users.createSearches(asUser(call), call.body),
    listSearches: (call) => users.listSearches(asUser(call), call.query),
    deleteSearch: (call) => users.deleteSearch(asUser(call), call.params.id),
    listSearchGroups: (call) => users.listSearchGroups(asUser(call), call.query),
    getSearchGroup: (call) => users.getSearchGroup(asUser(call), call.params.id),
    deleteSearchGroup: (call) => users.deleteSearchGroup(asUser(call), call.params.id),
    createSavedSearch: (call) => users.createSavedSearch(asUser(call), call.body),
    listSavedSearches: (call) => users.listSavedSearches(asUser(call), call.query),
    getSavedSearch: (call) => tags.show(call, users.getSavedSearch(asUser(call), call.params.id)),
    updateSavedSearch: (call) =>
      changeSavedSearch(call, () => users.updateSavedSearch(asUser(call), call.params.id, call.body)),
    deleteSavedSearch: (call) =>
      changeSavedSearch(call, () => users.deleteSavedSearch(asUser(call), call.params.id)),
    runSavedSearch: (call) => users.runSavedSearch(asUser(call), call.params.id),
    listSavedSearchChanges: (call) => users.listSavedSearchChanges(asUser(call), call.params.id, call.query),
    exportSearchGroup: (call) => users.exportSearchGroup(asUser(call), call.params.id, call.query),
    createUploads: (call) => users.createUploads(asUser(call), call.body),
    listUploads: (call) => users.listUploads(asUser(call), call.query),
    cancelUpload: (call) => users.cancelUpload(asUser(call), call.params.id),
    downloadFile: (call) => users.downloadFile(asUser(call), call.params.id, call.request),
    revealDeviceKey: (call) => secret(call, users.revealDeviceKey(asUser(call), call.params.id)),
    rotateDeviceKey: (call) => secret(call, users.rotateDeviceKey(asUser(call), call.params.id)),
    streamDeviceEvents({ caller: { userId, token }, request }) {
      const mayContinue = token && (() => isTokenValid(token, context))
      return eventStreams.open(userId, request, mayContinue, showsEvent(context, userId, token?.filter))
    },
    deleteDevice: (call) => changeDevice(call, () => users.deleteDevice(asUser(call), call.params.id)),
    deleteDeviceCatalog: (call) => users.deleteDeviceCatalog(asUser(call), call.params.id),
    deleteDevices: (call) => users.deleteDevices(asUser(call), call.body),
    createToken: (call) => secret(call, users.createToken(asUser(call), call.body)),
    listTokens: (call) => users.listTokens(asUser(call)),
    deleteToken: (call) => users.deleteToken(asUser(call), call.params.id),
    ...createOwnerHandlers(users, asUser, tags),
    ...createMcpHandlers(context, respond),
    listQuotas: (call) => users.listQuotas(asUser(call)),
    listAudit: (call) => users.listAudit(asUser(call), call.query),
  }
}

/** Those of devices. */
function createDeviceHandlers(
  devices: ReturnType<typeof createDeviceSide>,
  { polls, chunkSessions }: HandlerContext,
  originOf: (request: RequestView) => string,
  authenticateDevice: AuthenticateDevice,
) {
  const chunkHeader = chunkSessions && { 'upload-chunk-bytes': String(chunkSessions.chunkBytes) }
  const offerChunks = ({ setHeader }: PendingCall) =>
    Object.entries(chunkHeader ?? {}).forEach((header) => setHeader(...header))
  function sayReconnect({ setHeader }: Pick<PendingCall, 'setHeader'>): void {
    const seconds = reconnectSeconds(polls.count())
    if (seconds !== undefined) setHeader('reconnect-within', String(seconds))
  }
  function toPoll(call: PendingCall, longestSeconds?: number): PendingPoll {
    sayReconnect(call)
    return {
      device: call.caller,
      waitSeconds: waitOf(call, polls, call.caller.id, longestSeconds),
      signal: () => call.request.signal,
      assertKey: () => authenticateDevice(call.request),
    }
  }
  return {
    sendHeartbeat(call) {
      sayReconnect(call)
      return devices.sendHeartbeat(call.caller, call.body.metadata)
    },
    listPendingSearches: (call) => devices.listPendingSearches(toPoll(call)),
    reportSearch: ({ caller, body }) => devices.reportSearch(caller, body),
    listPendingUploads(call) {
      offerChunks(call)
      return devices.listPendingUploads(toPoll(call))
    },
    takeWork(call) {
      offerChunks(call)
      return devices.takeWork(toPoll(call, longestWorkSeconds), call.body)
    },
    listOwnAudit: ({ caller, query }) => devices.listOwnAudit(caller, query),
    streamWork: (call) => devices.streamWork(toPoll(call), { ...chunkHeader }),
    uploadFile: ({ caller, request }) => devices.receiveUpload(caller, request, originOf(request)),
    beginChunkedUpload: ({ caller, params, body }) => devices.beginChunkedUpload(caller, params.id, body),
    readChunkedUpload: ({ caller, params }) => devices.readChunkedUpload(caller, params.id),
    sendUploadChunk: ({ caller, params, request }) =>
      devices.sendUploadChunk(caller, params.id, Number(params.index), request),
    sendCatalog: ({ caller, request }) => devices.sendCatalog(caller, request),
    removeCatalog: ({ caller }) => devices.removeCatalog(caller),
    completeChunkedUpload: ({ caller, params, request }) =>
      devices.completeChunkedUpload(caller, params.id, originOf(request)),
  } satisfies Partial<HandlersOf<DeviceCloudOperations, Callers>>
}

/** Those of webhooks, and of everything that an owner has (C31, C33). */
function createOwnerHandlers(
  users: UserOperations,
  asUser: (call: Pick<SessionCall, 'caller' | 'request'>) => UserCall,
  tags: EntityTags,
) {
  const changeWebhook = <Reply extends object>(call: NamedCall, change: () => Promise<Reply>) =>
    tags.change(call, call.params.id, () => users.getWebhook(asUser(call), call.params.id), change)
  return {
    createWebhook: (call) => secret(call, users.createWebhook(asUser(call), call.body)),
    listWebhooks: (call) => users.listWebhooks(asUser(call)),
    getWebhook: (call) => tags.show(call, users.getWebhook(asUser(call), call.params.id)),
    updateWebhook: (call) =>
      changeWebhook(call, () => users.updateWebhook(asUser(call), call.params.id, call.body)),
    deleteWebhook: (call) => changeWebhook(call, () => users.deleteWebhook(asUser(call), call.params.id)),
    testWebhook: (call) => users.testWebhook(asUser(call), call.params.id),
    listWebhookDeliveries: (call) => users.listWebhookDeliveries(asUser(call), call.params.id),
    exportOwner: (call) => users.exportOwner(asUser(call)),
    eraseOwner: (call) => users.eraseOwner(asUser(call)),
  } satisfies Partial<HandlersOf<DeviceCloudOperations, Callers>>
}

/** Tells which events a caller sees; undefined for all. */
function showsEvent(
  { store, departures }: HandlerContext,
  userId: string,
  access: DeviceAccess | undefined,
): ShowsEvent | undefined {
  if (access === undefined) return undefined
  const shows = createEventSight(store, userId, access, departures)
  return ({ name, data: { deviceId, groupId } }) => {
    const subject = deviceId ?? groupId
    return shows(name, typeof subject === 'string' ? subject : '')
  }
}

/** How soon devices may return whose polls break in one moment: about 50 a second. A larger fleet returns when it would have asked anyway. */
function reconnectSeconds(heldPolls: number): number | undefined {
  const seconds = Math.max(2, Math.ceil(heldPolls / 50))
  return seconds > 25 ? undefined : seconds
}

/** A request for all work may be held for so long. */
const longestWorkSeconds = 300

type SessionCall = Call<DeviceCloudOperations['deleteDevice'], CallerSession>
type NamedCall = Pick<SessionCall, 'caller' | 'request' | 'setHeader' | 'params'>
type AnswerHeaders = Pick<SessionCall, 'request' | 'setHeader'>
type PendingCall = Pick<
  Call<DeviceCloudOperations['listPendingSearches'], StoredDevice>,
  'caller' | 'request' | 'setHeader'
>

/** How long a poll is going to be held, if it is; the answer says so (C22). */
function waitOf(
  { request, setHeader }: AnswerHeaders,
  polls: LongPolls,
  pollId: string,
  longestSeconds?: number,
): number | undefined {
  const seconds = preferredWaitSeconds(request.header('prefer'), longestSeconds)
  if (seconds === undefined || !polls.hasRoom(pollId)) return undefined
  setHeader('preference-applied', `wait=${seconds}`)
  return seconds
}

/** An answer with an API key in it is kept by no cache. */
function secret<Reply>({ setHeader }: AnswerHeaders, reply: Reply): Reply {
  setHeader('cache-control', 'no-store')
  return reply
}
