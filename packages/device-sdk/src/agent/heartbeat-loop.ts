import type { DeviceMetadata } from '@homeward/contract/device-cloud'
import type { DeviceClient, HeartbeatReply } from '../client/create-device-client.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { backoffMs, jitterMs } from './backoff.ts'
import { createBell, sleep } from './bell.ts'
import { createGate } from './gate.ts'
import { toOwnError } from './is-final.ts'
import type { SafeEmitter } from './safe-emitter.ts'

/** Keeps the device online and decides whether it may work. */
export interface HeartbeatLoop {
  /** Beats until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>
  /** Beats once. @throws {DeviceCloudError} */
  beat(signal: AbortSignal): Promise<HeartbeatReply>
  /** Resolves once the cloud accepts this device; at once while it does. Never rejects. */
  readonly admitted: (signal: AbortSignal) => Promise<void>
  /** Stops all work when `error` is a refused key (C16). */
  readonly noteError: (error: unknown) => void
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
  /** Hears that the key was refused. */
  readonly onRefused: (error: DeviceCloudError) => void
}

const firstProbeMs = 5 * 60_000
const maxProbeMs = 30 * 60_000
const minBeatMs = 1000
const maxBeatMs = 3_600_000
const maxMetadataMs = 10_000

/** Builds the loop. Nothing is admitted before the first beat was acknowledged. */
export function createHeartbeatLoop(setup: HeartbeatSetup): HeartbeatLoop {
  const { client, emit, random, intervalMs } = setup
  const bell = createBell()
  const gate = createGate()
  let refused: DeviceCloudError | undefined

  function admit(): void {
    if (refused) emit('authorized', { error: null })
    refused = undefined
    gate.open()
  }

  function noteError(error: unknown): void {
    if (!DeviceCloudError.is(error) || error.code !== 'UNAUTHORIZED' || refused) return
    refused = error
    gate.close()
    bell.ring()
    setup.onRefused(error)
  }

  async function beat(signal: AbortSignal): Promise<HeartbeatReply> {
    const reply = await client.sendHeartbeat(await readMetadata(setup.metadata, signal), signal)
    admit()
    setup.onPending(reply.pending)
    return reply
  }

  /** Waits for the next probe, or for another key, which costs no request to look for. */
  async function waitForKey(probeMs: number, signal: AbortSignal): Promise<void> {
    let leftMs = probeMs
    while (leftMs > 0 && !signal.aborted) {
      const sliceMs = Math.min(leftMs, Math.max(intervalMs, minBeatMs))
      await sleep(sliceMs, signal)
      leftMs -= sliceMs
      if (await client.hasNewKey().catch(() => false)) return
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    let failures = 0
    let probes = 0
    gate.close()
    refused = undefined
    if (setup.spreadFirstBeat) await sleep(random() * intervalMs, signal)
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
          await sleep(retryInMs, signal)
        }
      }
      if (refused && !signal.aborted) {
        const probeInMs = jitterMs(Math.min(maxProbeMs, firstProbeMs * 2 ** probes), random)
        probes += 1
        emit('unauthorized', { error: refused, probeInMs })
        await waitForKey(probeInMs, signal)
      }
    }
  }

  return {
    run,
    beat,
    noteError,
    admitted: gate.wait,
  }
}

/** Facts about the machine are a courtesy: a device that cannot tell them in time is online all the same. */
async function readMetadata(
  metadata: HeartbeatSetup['metadata'],
  signal: AbortSignal,
): Promise<DeviceMetadata> {
  const over = createBell()
  let facts: DeviceMetadata = {}
  const read = async () => {
    facts = await metadata()
  }
  void read()
    .catch(() => {})
    .finally(() => over.ring())
  await over.wait(maxMetadataMs, signal)
  return facts
}
