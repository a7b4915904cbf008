import type { UploadRequest } from '@homeward/contract/device-cloud'
import type { DeviceCloudError } from '../../device-cloud-error.ts'
import type { FileSource } from '../../ports/index.ts'
import type { AgentContext } from '../agent-context.ts'
import { sleep } from '@homeward/kit'
import { isFinal, toOwnError } from '../is-final.ts'
import { createLimiter } from '../pace/limiter.ts'
import { deliverUpload } from './deliver-upload.ts'
import { createPace } from '../pace/pace.ts'
import type { PendingWork } from '../pending-work.ts'
import { createRecentIds } from '../recent-ids.ts'
import { createRetrySchedule } from '../pace/retry-schedule.ts'
import { askOwner, findPathProblem } from '../../policy/device-policy.ts'

/** What uploads need from their agent. */
interface UploadOptions {
  readonly files: FileSource | undefined
  readonly concurrency: number
}

/** More requests than this are left at the cloud until some are done. */
const maxKnown = 1000

/**
 * Uploads listed files, a few at a time. A file that fails is tried again after its own back-off, listed or not: while
 * the cloud keeps the lease of an attempt that broke off it lists the request no more (C4).
 */
export function createUploadWork(context: AgentContext, options: UploadOptions): PendingWork<UploadRequest> {
  const { emit, now, timers, policy } = context
  const limiter = createLimiter(options.concurrency)
  /** Those that wait for the owner of the device are among them. */
  const all = createLimiter(Infinity)
  const known = new Set<string>()
  const settled = createRecentIds(1000)
  const retries = createRetrySchedule(now, context.random)
  const unread = [createRecentIds(1000), createRecentIds(1000)]
  const listeners: (() => void)[] = []
  /** What the cloud said with its last list. */
  let offeredBytes: number | undefined
  let heldAtMs = 0
  let heldForMs = 0
  const pace = createPace(200, now, timers) // 5 uploads a second (C12)
  const chunkPace = createPace(50, now, timers) // 20 chunks a second (C25)

  /** Milliseconds that the cloud asked to wait; 0 for none. A clock that was set back ends it. */
  function heldMs(): number {
    const passedMs = now() - heldAtMs
    return passedMs < 0 ? 0 : Math.max(0, heldForMs - passedMs)
  }

  /** Milliseconds until the next attempt; undefined when there is none. */
  async function attempt(
    request: UploadRequest,
    refusal: string | undefined,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { id: requestId } = request
    if (signal.aborted || heldMs() > 0) return heldMs()
    try {
      const delivery = { ...options, offeredBytes, pace, chunkPace, unread, refusal }
      await deliverUpload(context, delivery, request, signal)
    } catch (cause) {
      if (signal.aborted) return undefined
      const error = toOwnError(cause, 'Uploading a file')
      context.noteError(error)
      if (!isFinal(error)) return putOff(requestId, error)
      emit('upload:error', { requestId, error })
    }
    settled.add(requestId)
    retries.forget(requestId)
    return undefined
  }

  /** The owner is not asked about what the policy denies anyway. */
  const mayNeverGo = ({ filePath }: UploadRequest) =>
    !options.files || findPathProblem(filePath) !== undefined

  function putOff(requestId: string, error: DeviceCloudError): number {
    const retryInMs = retries.fail(requestId, error.retryAfterMs)
    // The cloud has too much to do: that is about every file. Anything else may be about this one.
    if (error.code === 'RATE_LIMITED' || error.retryAfterMs !== undefined) {
      heldAtMs = now()
      heldForMs = retryInMs
    }
    emit('upload:error', { requestId, error, retryInMs })
    return retryInMs
  }

  async function run(request: UploadRequest, signal: AbortSignal): Promise<void> {
    known.add(request.id)
    let isDecided = policy.consent === undefined || mayNeverGo(request)
    let refusal: string | undefined
    const decideAndTry = async () => {
      if (!isDecided) refusal = await askOwner(policy, { action: 'upload', request }, timers, signal)
      isDecided = true
      return limiter.run(() => attempt(request, refusal, signal))
    }
    try {
      while (!signal.aborted) {
        const retryInMs = await all.run(decideAndTry)
        if (retryInMs === undefined) break
        await sleep(retryInMs, signal, timers)
      }
    } catch (error) {
      if (!signal.aborted) throw error // stopped while the owner was asked
    } finally {
      known.delete(request.id)
    }
    if (settled.has(request.id)) for (const listener of listeners) listener()
  }

  return {
    take(requests, signal, chunkBytes) {
      offeredBytes = chunkBytes
      const fresh = requests.filter(
        ({ id }) => !known.has(id) && !settled.has(id) && retries.waitMs(id) === 0,
      )
      if (heldMs() > 0) return 0
      const taken = new Map(fresh.slice(0, maxKnown - known.size).map((request) => [request.id, request]))
      for (const request of taken.values()) void run(request, signal)
      return taken.size
    },
    known: () => [...known],
    isBusy: limiter.isBusy,
    whenIdle: all.whenIdle,
    onDone: (listener) => void listeners.push(listener),
  }
}
