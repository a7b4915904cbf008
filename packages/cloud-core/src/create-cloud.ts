import { deviceCloudOperations, type DeviceCloudOperations } from '@homeward/contract/device-cloud'
import {
  createHandler,
  HttpError,
  type Call,
  type FetchHandler,
  type HandlersOf,
  type NodeHandler,
  type RequestView,
} from '@homeward/contract/handler'
import { EventEmitter } from 'eventemitter3'
import { createTimestampClock, type CloudContext, type UserCall } from './cloud-context.ts'
import type { CloudEvents } from './cloud-events.ts'
import type { CloudOptions } from './cloud-options.ts'
import { createHeldPolls, preferredWaitSeconds, type HeldPolls } from './delivery/held-polls.ts'
import { createDeviceAuthentication } from './devices/authenticate-device.ts'
import { createDeviceKeys } from './devices/device-keys.ts'
import { createDeviceOperations } from './devices/device-operations.ts'
import { createHeartbeatBuffer } from './devices/heartbeat-buffer.ts'
import { createHeartbeatOperation } from './devices/heartbeat-operation.ts'
import { createKeyCache } from './devices/key-cache.ts'
import { defaultOnlineWindowMs } from './devices/presence.ts'
import { createInFlight } from './in-flight.ts'
import { createClientAddress } from './limits/client-address.ts'
import { createDeviceRates } from './limits/device-rates.ts'
import type { StoredDevice } from './ports/device-store.ts'
import type { Session } from './ports/sessions.ts'
import { createSearchDelivery } from './searches/search-delivery.ts'
import { createSearchOperations } from './searches/search-operations.ts'
import { createTrace } from './telemetry.ts'
import { createFileDownload } from './uploads/download-file.ts'
import { createLeftoverFiles } from './uploads/leftover-files.ts'
import { createUploadReceiver } from './uploads/receive-upload.ts'
import { createUploadDelivery } from './uploads/upload-delivery.ts'
import { createUploadOperations } from './uploads/upload-operations.ts'

type Callers = { device: StoredDevice; session: Session }

/** A device cloud: see {@link createCloud}. */
export type Cloud = ReturnType<typeof createCloud>

/**
 * Builds a device cloud over storage adapters. It opens no port: mount `fetch` or `node` where the host wants it.
 *
 * @throws {TypeError} when `keyPrefix` or `keySecret` cannot be used.
 * @example
 * const cloud = createCloud({ store: createMemoryStore(), blobs: createMemoryBlobs(), sessions: createLocalSessions() })
 * const response = await cloud.fetch(request, { remoteAddress: '127.0.0.1' })
 * await cloud.close()
 */
export function createCloud(options: CloudOptions) {
  const events = new EventEmitter<CloudEvents>()
  const context = createContext(options, events)
  const users = createUserOperations(context)
  const handler = createHandler<DeviceCloudOperations, Callers>({
    operations: deviceCloudOperations,
    handlers: createHandlers(options, users, createDeviceSide(context), context.polls),
    authenticate: createAuthenticators(context, options),
    trace: createTrace(options.tracer),
    onError: (error) => context.onError(error),
    ...(options.guard && { guard: options.guard }),
    ...(options.maxJsonBytes !== undefined && { maxJsonBytes: options.maxJsonBytes }),
    ...(options.checkReplies !== undefined && { checkReplies: options.checkReplies }),
  })
  const inFlight = createInFlight()
  let closing: Promise<void> | undefined

  async function close(graceMs: number): Promise<void> {
    context.polls.close()
    await inFlight.ended(graceMs)
    await context.leftovers.close()
    try {
      await context.heartbeats.close()
    } finally {
      await options.blobs.close?.()
      await options.store.close()
    }
  }

  return {
    /** Web-standard face. `remoteAddress` is what limits by address and local sessions go by. */
    fetch: (...call: Parameters<FetchHandler>) => inFlight.track(handler.fetch(...call)),
    /** Node face, for `node:http`, Express and h3. */
    node: (...call: Parameters<NodeHandler>) => inFlight.track(handler.node(...call)),
    /** Facts as they happen; see {@link CloudEvents}. */
    events,
    ...users,
    /**
     * Ends held polls, waits for requests under way, writes what is still on its way and closes the adapters. A request
     * that is still under way after `graceMs` fails. Safe to call twice; stop sending requests before.
     *
     * @param options.graceMs How long requests under way may take. @default 5000
     */
    close: ({ graceMs = 5000 }: { readonly graceMs?: number } = {}) => (closing ??= close(graceMs)),
    [Symbol.asyncDispose]: () => (closing ??= close(5000)),
  }
}

function createContext(options: CloudOptions, events: EventEmitter<CloudEvents>): CloudContext {
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
  return {
    store,
    blobs,
    keys: createKeyCache(random),
    heartbeats: createHeartbeatBuffer(store, options.flush ?? 'interval', onError),
    polls: createHeldPolls(),
    leftovers: createLeftoverFiles({ store, blobs, now, onError }),
    now,
    clock: createTimestampClock(now),
    createId: options.createId ?? (() => crypto.randomUUID()),
    random,
    randomBytes: options.randomBytes ?? ((size) => crypto.getRandomValues(new Uint8Array(size))),
    keyPrefix,
    keySecret,
    onlineWindowMs: options.onlineWindowMs ?? defaultOnlineWindowMs,
    heartbeatIntervalSeconds: options.heartbeatIntervalSeconds,
    maxUploadBytes: options.maxUploadBytes ?? 100 * 1024 * 1024,
    clientAddress: createClientAddress(options.trustedProxies ?? []),
    emit: (name, event) => {
      try {
        // The emitter's argument tuple cannot be computed from a generic name; the signature of `emit` checks it.
        ;(events as unknown as EventEmitter).emit(name, event)
      } catch (error) {
        onError(error)
      }
    },
    onError,
  }
}

function createAuthenticators(context: CloudContext, { sessions }: CloudOptions) {
  const authenticateDevice = createDeviceAuthentication(context)
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
      return session
    },
  }
}

/** What users do: the same calls over HTTP and from the host's own code. */
function createUserOperations(context: CloudContext) {
  return {
    ...createDeviceOperations(context),
    ...createDeviceKeys(context),
    ...createSearchOperations(context),
    ...createUploadOperations(context),
    ...createFileDownload(context),
  }
}

/** What devices do. */
function createDeviceSide(context: CloudContext) {
  return {
    ...createSearchDelivery(context),
    ...createUploadDelivery(context),
    receiveUpload: createUploadReceiver(context),
    sendHeartbeat: createHeartbeatOperation(context),
  }
}

/** Each operation's call, handed to its subject. */
function createHandlers(
  options: CloudOptions,
  users: ReturnType<typeof createUserOperations>,
  devices: ReturnType<typeof createDeviceSide>,
  polls: HeldPolls,
): HandlersOf<DeviceCloudOperations, Callers> {
  const originOf = (request: RequestView) => options.publicUrl?.replace(/\/+$/, '') ?? request.origin
  const asUser = ({ caller, request }: Pick<SessionCall, 'caller' | 'request'>): UserCall => ({
    userId: caller.userId,
    idempotencyKey: request.header('idempotency-key'),
    origin: originOf(request),
  })
  return {
    sendHeartbeat: ({ caller, body }) => devices.sendHeartbeat(caller, body.metadata),
    listPendingSearches: (call) =>
      devices.listPendingSearches(call.caller, waitOf(call, polls), () => call.request.signal),
    reportSearch: ({ caller, body }) => devices.reportSearch(caller, body),
    listPendingUploads: (call) =>
      devices.listPendingUploads(call.caller, waitOf(call, polls), () => call.request.signal),
    uploadFile: ({ caller, request }) => devices.receiveUpload(caller, request, originOf(request)),
    listDevices: (call) => users.listDevices(asUser(call), call.query),
    registerDevice: (call) => secret(call, users.registerDevice(asUser(call), call.body)),
    createSearches: (call) => users.createSearches(asUser(call), call.body),
    listSearches: (call) => users.listSearches(asUser(call), call.query),
    createUploads: (call) => users.createUploads(asUser(call), call.body),
    listUploads: (call) => users.listUploads(asUser(call), call.query),
    cancelUpload: (call) => users.cancelUpload(asUser(call), call.params.id),
    downloadFile: (call) => users.downloadFile(asUser(call), call.params.id),
    revealDeviceKey: (call) => secret(call, users.revealDeviceKey(asUser(call), call.params.id)),
    rotateDeviceKey: (call) => secret(call, users.rotateDeviceKey(asUser(call), call.params.id)),
    deleteDevice: (call) => users.deleteDevice(asUser(call), call.params.id),
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
