import { deviceCloudOperations, type DeviceCloudOperations } from '@homeward/contract/device-cloud'
import {
  createHandler,
  HttpError,
  quietly,
  toFetch,
  type Call,
  type HandlersOf,
  type NodeHandler,
  type RequestView,
  type Respond,
} from '@homeward/contract/handler'
import { checkNumbers } from './check-settings.ts'
import { timerFrom } from '@homeward/kit'
import { checkCloudOptions } from './check-options.ts'
import { checkTexts } from './check-settings.ts'
import { closeAll } from './close-all.ts'
import type { CloudContext, UserCall } from './cloud-context.ts'
import { createCloudEventBus } from './cloud-event-bus.ts'
import type { CloudOptions } from './cloud-options.ts'
import { createContext } from './create-context.ts'
import { followChanges } from './delivery/follow-changes.ts'
import { preferredWaitSeconds, type HeldPolls } from './delivery/held-polls.ts'
import type { PendingPoll } from './delivery/read-pending.ts'
import { createDeviceAuthentication } from './devices/authenticate-device.ts'
import { createHeartbeatOperation } from './devices/heartbeat-operation.ts'
import { createHostCalls } from './host-calls.ts'
import { createInFlight } from './in-flight.ts'
import { createDeviceRates } from './limits/device-rates.ts'
import { CloudStoreError } from './ports/cloud-store-error.ts'
import type { StoredDevice } from './ports/device-store.ts'
import type { Session } from './ports/sessions.ts'
import { createSearchDelivery } from './searches/search-delivery.ts'
import { createTrace } from './telemetry.ts'
import { createChunkOperations } from './uploads/chunked/chunk-operations.ts'
import { createUploadReceiver } from './uploads/receive-upload.ts'
import { createUploadDelivery } from './uploads/upload-delivery.ts'
import { createUserOperations, type UserOperations } from './user-operations.ts'

type Callers = { device: StoredDevice; session: Session }

/** A device cloud: see {@link createCloud}. */
export interface Cloud extends ReturnType<typeof assembleCloud> {}

/**
 * Builds a device cloud over storage adapters. It opens no port: mount `fetch` or `node` where the host wants it.
 *
 * @throws {TypeError} that names the option that is missing or cannot be used.
 * @example
 * const cloud = createCloud({ store: createMemoryStore(), blobs: createMemoryBlobs(), sessions: createLocalSessions() })
 * const response = await cloud.fetch(request, { remoteAddress: '127.0.0.1' })
 * await cloud.close()
 */
export function createCloud(options: CloudOptions): Cloud {
  return assembleCloud(options)
}

function assembleCloud(options: CloudOptions) {
  checkCloudOptions(options)
  const onError = quietly(options.onError)
  const { events, emit } = createCloudEventBus(onError)
  const context = createContext(options, emit, onError)
  const users = createUserOperations(context)
  const authenticateDevice = createDeviceAuthentication(context)
  let closing: Promise<void> | undefined
  const handler = createHandler<DeviceCloudOperations, Callers>({
    operations: deviceCloudOperations,
    handlers: createHandlers(users, createDeviceSide(context), context, authenticateDevice),
    authenticate: createAuthenticators(context, options, authenticateDevice),
    trace: createTrace(options.tracer),
    onError,
    guard(request) {
      if (closing) throw cloudIsClosed()
      options.guard?.(request)
    },
    ...(options.maxJsonBytes !== undefined && { maxJsonBytes: options.maxJsonBytes }),
    ...(options.checkReplies !== undefined && { checkReplies: options.checkReplies }),
  })
  const stopFollowing = followChanges(context)
  const inFlight = createInFlight()
  const respond: Respond = (request) => inFlight.trackReply(handler.respond(request))

  function assertOpen(): void {
    if (closing)
      throw new CloudStoreError('CLOSED', 'Using the cloud failed: it was closed. Create another one.')
  }

  async function close(graceMs: number): Promise<void> {
    stopFollowing()
    context.polls.close()
    await inFlight.ended(graceMs)
    // Each of them, whatever becomes of the others; the store is last, for the others still write to it.
    await closeAll([
      () => context.leftovers.close(),
      () => context.chunkSessions?.close(),
      () => context.heartbeats.close(),
      () => options.blobs.close?.(),
      () => options.store.close(),
    ])
  }

  return {
    /** Web-standard face. `remoteAddress` is what limits by address and local sessions go by. */
    fetch: toFetch(respond),
    /** Node face, for `node:http`, Express and h3. */
    node: (...call: Parameters<NodeHandler>) => inFlight.track(handler.node(...call)),
    /** What both faces call, for hosts with requests of their own kind. */
    respond,
    /** Facts as they happen; see `CloudEvents`. */
    events,
    ...createHostCalls(users, assertOpen, inFlight),
    /**
     * Ends held polls, waits for requests and calls under way, writes what is still on its way and closes the adapters. A
     * download is under way until its body is read or canceled. What is still under way after `graceMs` fails. Requests that
     * come later are answered 503, calls of the host's own fail with `CLOSED`. Safe to call twice.
     *
     * @param options.graceMs How long requests and calls under way may take. @default 5000
     * @throws {TypeError} when `graceMs` is no time; the cloud stays open.
     */
    async close(options: { readonly graceMs?: number } = {}): Promise<void> {
      checkNumbers('Closing the cloud', options, { graceMs: timerFrom(0) })
      await (closing ??= close(options.graceMs ?? 5000))
    },
    [Symbol.asyncDispose]: () => (closing ??= close(5000)),
  }
}

/** What a request is answered that comes while the cloud closes, or later: another process may take it at once. */
const cloudIsClosed = () =>
  new HttpError(
    503,
    { error: 'Service unavailable', message: 'The server is stopping. Send the request again.' },
    { 'retry-after': '1' },
  )

type AuthenticateDevice = ReturnType<typeof createDeviceAuthentication>

function createAuthenticators(
  context: CloudContext,
  { sessions }: CloudOptions,
  authenticateDevice: AuthenticateDevice,
) {
  const checkRate = createDeviceRates()

  function admit(device: StoredDevice, operationId: string): StoredDevice {
    checkRate(operationId, device.id, context.now())
    return device
  }

  return {
    device(request: RequestView, operationId: string) {
      const found = authenticateDevice(request)
      return found instanceof Promise
        ? found.then((device) => admit(device, operationId))
        : admit(found, operationId)
    },
    async session(request: RequestView): Promise<Session> {
      const session = await sessions.resolve(request)
      if (!session) throw new HttpError(401, { error: 'Unauthorized' })
      // Whom nobody names would share everything with all others whom nobody names.
      checkTexts('Knowing the caller by sessions.resolve()', session, ['userId'])
      return session
    },
  }
}

/** What devices do. */
function createDeviceSide(context: CloudContext) {
  return {
    ...createSearchDelivery(context),
    ...createUploadDelivery(context),
    receiveUpload: createUploadReceiver(context),
    ...createChunkOperations(context),
    sendHeartbeat: createHeartbeatOperation(context),
  }
}

/** Each operation's call, handed to its subject. */
function createHandlers(
  users: UserOperations,
  devices: ReturnType<typeof createDeviceSide>,
  context: Pick<CloudContext, 'polls' | 'chunkSessions' | 'clientAddress' | 'publicUrl'>,
  authenticateDevice: AuthenticateDevice,
): HandlersOf<DeviceCloudOperations, Callers> {
  const { polls, chunkSessions, clientAddress, publicUrl } = context
  const originOf = (request: RequestView) => publicUrl ?? request.origin
  const asUser = ({ caller, request }: Pick<SessionCall, 'caller' | 'request'>): UserCall => ({
    userId: caller.userId,
    idempotencyKey: request.header('idempotency-key'),
    origin: originOf(request),
    address: request.remoteAddress === undefined ? undefined : clientAddress(request),
  })
  const toPoll = (call: PendingCall): PendingPoll => ({
    device: call.caller,
    waitSeconds: waitOf(call, polls),
    signal: () => call.request.signal,
    assertKey: () => authenticateDevice(call.request),
  })
  return {
    sendHeartbeat: ({ caller, body }) => devices.sendHeartbeat(caller, body.metadata),
    listPendingSearches: (call) => devices.listPendingSearches(toPoll(call)),
    reportSearch: ({ caller, body }) => devices.reportSearch(caller, body),
    listPendingUploads(call) {
      if (chunkSessions) call.setHeader('upload-chunk-bytes', String(chunkSessions.chunkBytes))
      return devices.listPendingUploads(toPoll(call))
    },
    uploadFile: ({ caller, request }) => devices.receiveUpload(caller, request, originOf(request)),
    beginChunkedUpload: ({ caller, params, body }) => devices.beginChunkedUpload(caller, params.id, body),
    readChunkedUpload: ({ caller, params }) => devices.readChunkedUpload(caller, params.id),
    sendUploadChunk: ({ caller, params, request }) =>
      devices.sendUploadChunk(caller, params.id, Number(params.index), request),
    completeChunkedUpload: ({ caller, params, request }) =>
      devices.completeChunkedUpload(caller, params.id, originOf(request)),
    listDevices: (call) => users.listDevices(asUser(call), call.query),
    registerDevice: (call) => secret(call, users.registerDevice(asUser(call), call.body)),
    createSearches: (call) => users.createSearches(asUser(call), call.body),
    listSearches: (call) => users.listSearches(asUser(call), call.query),
    createUploads: (call) => users.createUploads(asUser(call), call.body),
    listUploads: (call) => users.listUploads(asUser(call), call.query),
    cancelUpload: (call) => users.cancelUpload(asUser(call), call.params.id),
    downloadFile: (call) => users.downloadFile(asUser(call), call.params.id, call.request),
    revealDeviceKey: (call) => secret(call, users.revealDeviceKey(asUser(call), call.params.id)),
    rotateDeviceKey: (call) => secret(call, users.rotateDeviceKey(asUser(call), call.params.id)),
    deleteDevice: (call) => users.deleteDevice(asUser(call), call.params.id),
    listAudit: (call) => users.listAudit(asUser(call), call.query),
  }
}

type SessionCall = Call<DeviceCloudOperations['deleteDevice'], Session>
type AnswerHeaders = Pick<SessionCall, 'request' | 'setHeader'>
type PendingCall = Pick<
  Call<DeviceCloudOperations['listPendingSearches'], StoredDevice>,
  'caller' | 'request' | 'setHeader'
>

/** How long a poll is going to be held, if it is; the answer says so (C22). */
function waitOf({ caller, request, setHeader }: PendingCall, polls: HeldPolls): number | undefined {
  const seconds = preferredWaitSeconds(request.header('prefer'))
  if (seconds === undefined || !polls.hasRoom(caller.id)) return undefined
  setHeader('preference-applied', `wait=${seconds}`)
  return seconds
}

/** An answer with an API key in it is kept by no cache. */
function secret<Reply>({ setHeader }: AnswerHeaders, reply: Reply): Reply {
  setHeader('cache-control', 'no-store')
  return reply
}
