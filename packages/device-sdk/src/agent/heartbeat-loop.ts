import type { HeartbeatReply } from '../client/create-device-client.ts'
import type { DeviceCloudError } from '../device-cloud-error.ts'
import { backoffMs, jitterMs, sleep } from '@homeward/kit'
import type { FirstEnrollment } from './first-enrollment.ts'
import { nextAttempt, noteReconnect, paceAfter } from './pace/next-attempt.ts'
import { toOwnError } from './is-final.ts'
import type { Admission } from './admission.ts'
import type { AgentContext } from './agent-context.ts'
import type { DeviceFacts } from './device-facts.ts'
import type { WorkChannel } from './work-channel.ts'

/** Keeps the device online and decides whether it may work. */
interface HeartbeatLoop {
  /** Beats until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>
  /** Beats once. @throws {DeviceCloudError} */
  beat(signal: AbortSignal): Promise<HeartbeatReply>
}

/** What heartbeats tell and whom. */
interface HeartbeatOptions {
  readonly facts: DeviceFacts
  /** While it is open its requests are the heartbeats. */
  readonly channel: WorkChannel
  readonly enrollment: FirstEnrollment
  readonly admission: Admission
  readonly spreadFirstHeartbeat: boolean
  /** Hears of the work that waits, or undefined when the cloud did not tell. */
  readonly onPending: (pending: HeartbeatReply['pending']) => void
  /** Hears that a beat failed. */
  readonly onSilence: () => void
}

const probePauses = { baseMs: 5 * 60_000, capMs: 30 * 60_000, spread: [0.9, 1.1] } as const
const minBeatMs = 1000
const maxBeatMs = 3_600_000
/** A cloud that asks for rare beats still hears soon of a device whose beat failed. */
const maxOrdinaryPauseMs = 120_000

/** Builds the loop. Nothing is admitted before the first beat was acknowledged. */
export function createHeartbeatLoop(context: AgentContext, options: HeartbeatOptions): HeartbeatLoop {
  const { client, emit, now, random, intervalMs, timers, reconnect } = context
  const { admission, enrollment } = options
  let failures = 0
  let probes = 0
  /** Milliseconds between beats; 0 for a device that boots on its own and was not online yet. */
  let ordinaryMs = 0

  async function beat(signal: AbortSignal): Promise<HeartbeatReply> {
    await enrollment.once(signal)
    const reply = await client.sendHeartbeat(await options.facts(signal), signal)
    noteReconnect(reconnect, reply)
    options.channel.open() // before the loops begin: only those of one kind ask
    if (admission.admit()) emit('authorized', { error: null })
    options.onPending(reply.pending)
    return reply
  }

  /** Waits for the next probe, or for another key, which costs no request to look for. */
  async function waitForKey(probeMs: number, signal: AbortSignal): Promise<void> {
    let leftMs = probeMs
    while (leftMs > 0 && !signal.aborted) {
      const sliceMs = Math.min(leftMs, Math.max(intervalMs, minBeatMs))
      await sleep(sliceMs, signal, timers)
      leftMs -= sliceMs
      if (await client.hasNewKey().catch(() => false)) return
    }
  }

  /** Beats and waits for the next one, or for bad news about the key. */
  async function beatAndRest(signal: AbortSignal): Promise<void> {
    admission.refused.reset()
    const { nextHeartbeatInSeconds, pending } = await beat(signal)
    failures = probes = 0
    const toldMs = nextHeartbeatInSeconds === undefined ? intervalMs : nextHeartbeatInSeconds * 1000
    ordinaryMs = Math.min(Math.max(toldMs, Math.min(minBeatMs, intervalMs)), maxBeatMs)
    const isHeld = options.channel.open()
    const nextInMs = jitterMs(ordinaryMs, random)
    emit('heartbeat:end', { pending, nextInMs: isHeld ? Infinity : nextInMs })
    if (isHeld) await admission.refused.wait(Infinity, signal)
    if (!admission.refusal()) await admission.refused.wait(nextInMs, signal)
  }

  async function backOff(error: DeviceCloudError, elapsedMs: number, signal: AbortSignal): Promise<void> {
    failures += 1
    options.onSilence()
    const { retryAfterMs } = error
    const pace = paceAfter(reconnect, Math.min(ordinaryMs, maxOrdinaryPauseMs))
    const { retryInMs } = nextAttempt({ failures, retryAfterMs, random, elapsedMs, ...pace })
    emit('heartbeat:error', { error, retryInMs })
    await sleep(retryInMs, signal, timers)
  }

  async function probe(error: DeviceCloudError, signal: AbortSignal): Promise<void> {
    probes += 1
    const pauses = enrollment.isFresh() ? {} : probePauses
    const probeInMs = backoffMs({ ...pauses, failures: probes, random })
    emit('unauthorized', { error, probeInMs })
    await waitForKey(probeInMs, signal)
  }

  async function run(signal: AbortSignal): Promise<void> {
    failures = probes = 0
    ordinaryMs = options.spreadFirstHeartbeat ? intervalMs : 0
    admission.close()
    await enrollment.run(signal)
    if (options.spreadFirstHeartbeat) await sleep(random() * intervalMs, signal, timers)
    while (!signal.aborted) {
      const startedMs = now()
      try {
        await beatAndRest(signal)
      } catch (cause) {
        if (signal.aborted) return
        const error = toOwnError(cause, 'Sending a heartbeat')
        admission.noteError(error)
        if (!admission.refusal()) await backOff(error, now() - startedMs, signal)
      }
      const refusal = admission.refusal()
      if (refusal && !signal.aborted) await probe(refusal, signal)
    }
  }

  return { run, beat }
}
