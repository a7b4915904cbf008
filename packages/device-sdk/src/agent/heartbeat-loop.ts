import { type DeviceMetadata, isResultNote } from '@homeward/contract/device-cloud'
import type { HeartbeatReply } from '../client/create-device-client.ts'
import type { DeviceCloudError } from '../device-cloud-error.ts'
import { type DevicePolicy, allowsScope } from '../policy/device-policy.ts'
import type { SearchProviders, Timers } from '../ports/index.ts'
import { backoffMs, createAutoResetEvent, jitterMs, sleep } from '@homeward/kit'
import type { FirstEnrollment } from './first-enrollment.ts'
import { nextAttempt } from './pace/next-attempt.ts'
import { toOwnError } from './is-final.ts'
import type { Admission } from './admission.ts'
import type { AgentContext } from './agent-context.ts'

/** Keeps the device online and decides whether it may work. */
interface HeartbeatLoop {
  /** Beats until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>
  /** Beats once. @throws {DeviceCloudError} */
  beat(signal: AbortSignal): Promise<HeartbeatReply>
}

/** What heartbeats tell and whom. */
interface HeartbeatOptions {
  readonly metadata: () => DeviceMetadata | Promise<DeviceMetadata>
  readonly providers: SearchProviders
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
  const { client, emit, now, random, intervalMs, timers } = context
  const { admission, enrollment } = options
  let failures = 0
  let probes = 0
  /** Milliseconds between beats; 0 for a device that boots on its own and was not online yet. */
  let ordinaryMs = 0

  async function beat(signal: AbortSignal): Promise<HeartbeatReply> {
    await enrollment.once(signal)
    const facts = await readMetadata(options.metadata, signal, timers)
    const reply = await client.sendHeartbeat(withScopes(facts, options.providers, context.policy), signal)
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
    const nextInMs = jitterMs(ordinaryMs, random)
    emit('heartbeat:end', { pending, nextInMs })
    await admission.refused.wait(nextInMs, signal)
  }

  async function backOff(error: DeviceCloudError, elapsedMs: number, signal: AbortSignal): Promise<void> {
    failures += 1
    options.onSilence()
    const { retryAfterMs } = error
    const periodMs = Math.min(ordinaryMs, maxOrdinaryPauseMs)
    const { retryInMs } = nextAttempt({ failures, retryAfterMs, random, periodMs, elapsedMs })
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

const maxMetadataMs = 10_000

/** Facts about the machine are a courtesy: a device that cannot tell them in time is online all the same. */
async function readMetadata(
  metadata: () => DeviceMetadata | Promise<DeviceMetadata>,
  signal: AbortSignal,
  timers: Timers,
): Promise<DeviceMetadata> {
  let facts: DeviceMetadata = {}
  try {
    const told = metadata()
    if (!(told instanceof Promise)) return told
    const over = createAutoResetEvent(timers)
    void told
      .then((late) => (facts = late))
      .catch(() => {})
      .finally(() => over.set())
    await over.wait(maxMetadataMs, signal)
  } catch {
    // What cannot be told now is told with a later beat.
  }
  return facts
}

/** More than readers of metadata take. */
const maxScopes = 64

/** Declares in the metadata which scopes can be searched, unless `facts` has `scopes` of its own. */
function withScopes(facts: DeviceMetadata, providers: SearchProviders, policy: DevicePolicy): DeviceMetadata {
  const isOpen = (name: string) => !isResultNote(name) && providers[name] && allowsScope(policy, name)
  const names = Object.keys(providers).filter(isOpen).slice(0, maxScopes)
  return names.length === 0 ? facts : { scopes: names.map((name) => ({ name })), ...facts }
}
