import type { DeviceMetadata } from '@homeward/contract/device-cloud'
import type { DeviceClient, HeartbeatReply } from '../client/create-device-client.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { backoffMs, jitterMs } from './backoff.ts'
import { createBell } from './bell.ts'
import { toOwnError } from './is-final.ts'
import type { SafeEmitter } from './safe-emitter.ts'

/** Keeps the device online and decides whether it may work. */
export interface HeartbeatLoop {
  /** Beats until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>
  /** Beats once. @throws {DeviceCloudError} */
  beat(signal: AbortSignal): Promise<HeartbeatReply>
  /** Resolves once the cloud accepts this device; at once while it does. Never rejects. */
  admitted(signal: AbortSignal): Promise<void>
  /** Stops all work when `error` is a refused key (C16). */
  noteError(error: unknown): void
}

/** What a heartbeat needs. */
export interface HeartbeatSetup {
  readonly client: DeviceClient
  readonly metadata: () => DeviceMetadata | Promise<DeviceMetadata>
  readonly intervalMs: number
  readonly spreadFirstBeat: boolean
  readonly emit: SafeEmitter['emit']
  readonly random: () => number
  /** Hears of the work that waits, or undefined when the cloud did not tell. */
  readonly onPending: (pending: HeartbeatReply['pending']) => void
}

const firstProbeMs = 5 * 60_000
const maxProbeMs = 30 * 60_000
const minBeatMs = 1000
const maxBeatMs = 3_600_000

/** Builds the loop. Nothing is admitted before the first beat was acknowledged. */
export function createHeartbeatLoop(setup: HeartbeatSetup): HeartbeatLoop {
  const { client, emit, random, intervalMs } = setup
  const bell = createBell()
  const waiters = new Set<() => void>()
  let isAdmitted = false
  let refused: DeviceCloudError | undefined

  function admit(): void {
    if (refused) emit('authorized', {})
    refused = undefined
    isAdmitted = true
    for (const wake of waiters) wake()
  }

  function noteError(error: unknown): void {
    if (!DeviceCloudError.is(error) || error.code !== 'UNAUTHORIZED' || refused) return
    refused = error
    isAdmitted = false
    bell.ring()
  }

  async function beat(signal: AbortSignal): Promise<HeartbeatReply> {
    // Facts about the machine are a courtesy; a device without them is online all the same.
    const metadata = await Promise.resolve()
      .then(setup.metadata)
      .catch(() => ({}))
    const reply = await client.sendHeartbeat(metadata, signal)
    admit()
    setup.onPending(reply.pending)
    return reply
  }

  /** Waits for the next probe, or for another key, which costs no request to look for. */
  async function waitForKey(probeMs: number, signal: AbortSignal): Promise<void> {
    let leftMs = probeMs
    while (leftMs > 0 && !signal.aborted) {
      const sliceMs = Math.min(leftMs, Math.max(intervalMs, minBeatMs))
      await createBell().wait(sliceMs, signal)
      leftMs -= sliceMs
      if (await client.hasNewKey().catch(() => false)) return
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    let failures = 0
    let probes = 0
    isAdmitted = false
    refused = undefined
    if (setup.spreadFirstBeat) await createBell().wait(random() * intervalMs, signal)
    while (!signal.aborted) {
      try {
        bell.reset()
        const { nextHeartbeatInSeconds, pending } = await beat(signal)
        failures = probes = 0
        const toldMs = nextHeartbeatInSeconds === undefined ? intervalMs : nextHeartbeatInSeconds * 1000
        const nextInMs = jitterMs(
          Math.min(Math.max(toldMs, Math.min(minBeatMs, intervalMs)), maxBeatMs),
          random,
        )
        emit('heartbeat:end', { pending, nextInMs })
        await bell.wait(nextInMs, signal)
      } catch (cause) {
        if (signal.aborted) return
        const error = toOwnError(cause, 'Sending a heartbeat')
        noteError(error)
        if (!refused) {
          failures += 1
          setup.onPending(undefined)
          const retryInMs = backoffMs({ failures, retryAfterMs: error.retryAfterMs, random })
          emit('heartbeat:error', { error, retryInMs })
          await Promise.race([createBell().wait(retryInMs, signal)])
        }
      }
      while (refused && !signal.aborted) {
        const probeInMs = jitterMs(Math.min(maxProbeMs, firstProbeMs * 2 ** probes), random)
        probes += 1
        emit('unauthorized', { error: refused, probeInMs })
        await waitForKey(probeInMs, signal)
        break
      }
    }
  }

  return {
    run,
    beat,
    noteError,
    admitted: (signal) =>
      new Promise((resolve) => {
        if (isAdmitted || signal.aborted) return resolve()
        const wake = () => {
          waiters.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiters.add(wake)
        signal.addEventListener('abort', wake)
      }),
  }
}
