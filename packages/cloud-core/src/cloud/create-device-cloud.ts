import { deviceCloudOperations, type DeviceCloudOperations } from '@homeward/contract/device-cloud'
import {
  respondWithMetrics,
  createHandler,
  createRequestMeter,
  type Handler,
  HttpError,
  safeHook,
  toBasePath,
  toFetch,
  toNode,
  type NodeHandler,
  type Respond,
} from '@homeward/contract/handler'
import { checkOptions } from '../context/check-options.ts'
import { timerFrom } from '@homeward/kit'
import { checkCloudOptions } from './check-options.ts'
import { createCloudEventBus, type CloudEventBus } from '../context/cloud-events.ts'
import type { DeviceCloudOptions } from './cloud-options.ts'
import { createAuthenticators, type Callers } from './create-authenticators.ts'
import { type CloudServices, createContext } from './create-context.ts'
import { createDeviceSide, createHandlers } from './create-handlers.ts'
import type { DeviceCloudCalls } from './device-cloud-calls.ts'
import { followChanges } from './follow-changes.ts'
import { createDeviceAuthentication } from '../devices/authenticate-device.ts'
import { createHostCalls } from './host-calls.ts'
import { createInFlight } from './in-flight.ts'
import { createCloudMeters, observeCloud } from '../metrics/cloud-meters.ts'
import { CloudStoreError } from '../ports/cloud-store-error.ts'
import { createTrace } from './telemetry.ts'
import { createUserOperations } from './user-operations.ts'

/** A device cloud: see {@link createDeviceCloud}. */
export interface DeviceCloud extends DeviceCloudCalls, Faces {}

type Faces = ReturnType<typeof assembleCloud>['faces']

/**
 * Creates a device cloud on top of storage adapters. It opens no port: mount `fetch` or `node` in your server.
 *
 * @throws {TypeError} if an option is missing or invalid. The message names the option.
 * @example
 * const cloud = createDeviceCloud({ store: createMemoryStore(), blobs: createMemoryBlobs(), sessions: createSingleUserSessions() })
 * const response = await cloud.fetch(request, { remoteAddress: '127.0.0.1' })
 * await cloud.close()
 */
export function createDeviceCloud(options: DeviceCloudOptions): DeviceCloud {
  const { faces, calls } = assembleCloud(options)
  return { ...faces, ...calls }
}

function assembleCloud(options: DeviceCloudOptions) {
  checkCloudOptions(options)
  const onError = safeHook(options.onError)
  const { events, emit: emitToHost } = createCloudEventBus(onError)
  const { meter, metrics } = options
  const meters = createCloudMeters(meter, options.now ?? Date.now)
  const emit: CloudEventBus['emit'] = (name, event) => {
    if (meter) meters.note(name, event)
    emitToHost(name, event)
    context.eventStreams.publish(name, event)
    context.webhooks?.note(name, event)
  }
  const context: CloudServices = createContext(options, emit, onError, meters)
  if (meter) observeCloud(meter, context)
  const users = createUserOperations(context)
  const authenticateDevice = createDeviceAuthentication(context)
  let closing: Promise<void> | undefined
  const handler: Handler = createHandler<DeviceCloudOperations, Callers>({
    operations: deviceCloudOperations,
    handlers: {
      ...createHandlers(users, createDeviceSide(context), context, authenticateDevice, (request) =>
        handler.respond(request),
      ),
      readMetrics: () => respondWithMetrics(metrics),
    },
    authenticate: createAuthenticators(context, options, authenticateDevice),
    trace: createTrace(options.tracer),
    ...(meter && { observe: createRequestMeter(meter) }),
    onError,
    guard(request) {
      if (closing) throw cloudIsClosed()
      options.guard?.(request)
      if (!hasStarted) start()
    },
    ...(options.maxJsonBytes !== undefined && { maxJsonBytes: options.maxJsonBytes }),
    ...(options.checkReplies !== undefined && { checkReplies: options.checkReplies }),
  })
  let hasStarted = false
  /** Begins with the first request what processes before may have left. */
  function start(): void {
    hasStarted = true
    context.offlineWatch.start()
    context.groupWork.start()
    context.settledGroups.start()
  }
  const stopFollowing = followChanges(context)
  const inFlight = createInFlight()
  const basePath = toBasePath(options.basePath)
  const node = toNode(handler.respond, basePath)
  const respond: Respond = (request) => inFlight.trackReply(handler.respond(request))

  function assertOpen(): void {
    if (closing)
      throw new CloudStoreError('CLOSED', 'Using the cloud failed: the cloud is closed. Create a new one.')
  }

  async function close(graceMs: number): Promise<void> {
    stopFollowing()
    context.polls.close()
    context.eventStreams.close()
    await inFlight.ended(graceMs)
    // Each of them, whatever becomes of the others; the store is last, for the others still write to it.
    await closeAll([
      () => context.cleaning.close(),
      () => context.offlineWatch.close(),
      () => context.webhooks?.courier.close(),
      () => context.groupWork.close(),
      () => context.settledGroups.close(),
      () => context.leftovers.close(),
      () => context.chunkSessions?.close(),
      () => context.heartbeats.close(),
      () => options.blobs.close?.(),
      () => options.store.close(),
    ])
  }

  const faces = {
    /** Web-standard face. `remoteAddress` is what limits by address and local sessions go by. */
    fetch: toFetch(respond, basePath),
    /** Node face, for `node:http`, Express and h3. */
    node: (...call: Parameters<NodeHandler>) => inFlight.track(node(...call)),
    /** What both faces call, for hosts with requests of their own kind. */
    respond,
    /** Facts as they happen; see `DeviceCloudEventMap`. */
    events,
    /**
     * Lets go now what is old (`retention`), and what deletions left. A cloud that runs all the time does it by itself each
     * minute; call it where the process stops between requests.
     *
     * @throws what the store throws.
     */
    async applyRetention(): Promise<void> {
      assertOpen()
      await inFlight.track(context.cleaning.applyRetention())
    },
    /**
     * Ends held polls and streams of events, waits for requests and calls under way, writes what is still on its way and closes the adapters. A
     * download is under way until its body is read or canceled. What is still under way after `graceMs` fails. Requests that
     * come later are answered 503, calls of the host's own fail with `CLOSED`. Safe to call twice.
     *
     * @param options.graceMs How long requests and calls under way may take. @default 5000
     * @throws {TypeError} when `graceMs` is no time; the cloud stays open.
     */
    async close(options: { readonly graceMs?: number } = {}): Promise<void> {
      checkOptions('Closing the cloud', options, { graceMs: timerFrom(0) })
      await (closing ??= close(options.graceMs ?? 5000))
    },
    [Symbol.asyncDispose]: () => (closing ??= close(5000)),
  }
  return { faces, calls: createHostCalls(users, assertOpen, inFlight) }
}

/** What a request is answered that comes while the cloud closes, or later: another process may take it at once. */
const cloudIsClosed = () =>
  new HttpError(
    503,
    { error: 'Service unavailable', message: 'The server is stopping. Send the request again.' },
    { 'retry-after': '1' },
  )

/** Does everything in turn, then fails with the first failure, if there was one. */
async function closeAll(steps: readonly (() => Promise<void> | undefined)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
