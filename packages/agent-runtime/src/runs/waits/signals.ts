import type { SentSignal, SignalRequest } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { StoredRun } from '../../store/ports/run-store.ts'
import { signalKnownMs, type StoredSignal } from '../../store/ports/signal-store.ts'
import type { StoredWait } from '../../store/ports/wait.ts'
import { toCanonicalJson } from '../calls/effect-ledger.ts'
import type { RunsContext } from '../runs-options.ts'
import { problemOf, settle } from './waits.ts'

/** Kept signals of one event that a new wait looks at. */
const maxKept = 1000
const waitsAtOnce = 500

/**
 * Stores a signal, then gives it to the waits that are open.
 *
 * @throws {RuntimeError} `conflict` for a known id with other content
 */
export async function sendSignal(
  context: RunsContext,
  request: SignalRequest,
): Promise<{ readonly signal: SentSignal; readonly delivered: number }> {
  const { store } = context
  const { event, data = null, id = context.createId(), keep_seconds: keep = 0 } = request
  const nowMs = context.now()
  const at = (ms: number) => new Date(ms).toISOString()
  const wanted = {
    id,
    event,
    data,
    createdAt: at(nowMs),
    ...(keep > 0 && { keptUntil: at(nowMs + keep * 1000) }),
  }
  const { signal, isNew } = await store.insertSignal({ ...wanted, knownSince: at(nowMs - signalKnownMs) })
  if (!isNew && contentOf(signal) !== contentOf(wanted))
    throw new RuntimeError(
      'conflict',
      'Sending a signal failed: another signal has this id. Use another id, or send the same content.',
    )
  const delivered = signal.delivered ?? (await deliverSignal(context, signal))
  return { signal: { id, event, created_at: signal.createdAt }, delivered }
}

const contentOf = ({ event, data, createdAt, keptUntil = createdAt }: Omit<StoredSignal, 'lastWait'>) =>
  toCanonicalJson([event, data, Date.parse(keptUntil) - Date.parse(createdAt)])

/**
 * Gives a stored signal to the waits that it is for. Several processes may do so at once, and after one that broke off another
 * one does: each wait gets it once, and all of them find the same number.
 *
 * @returns how many waits got it
 */
export async function deliverSignal(context: RunsContext, signal: StoredSignal): Promise<number> {
  const { store } = context
  for (let cursor: string | undefined; ;) {
    const { rows, nextCursor } = await store.listSignalWaits(signal, { limit: waitsAtOnce, cursor })
    for (const wait of rows) {
      const run = await store.findRun(wait.runId)
      if (run) await give(context, { run, wait, signal })
    }
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  return (await store.settleSignal(signal)) ?? 0
}

/** Gives a wait that is open the oldest kept signal that it accepts, unless its run has had that one. */
export async function takeKept(context: RunsContext, run: StoredRun, wait: StoredWait): Promise<void> {
  const { event } = wait
  if (event === undefined) return
  for (const signal of await context.store.listKeptSignals(event, context.timestamp(), maxKept))
    if (await give(context, { run, wait, signal })) return
}

/** @returns whether the wait accepted it, and was open. */
async function give(
  context: RunsContext,
  {
    run,
    wait,
    signal,
  }: { readonly run: StoredRun; readonly wait: StoredWait; readonly signal: StoredSignal },
): Promise<boolean> {
  const { id, data } = signal
  if ((await problemOf(context, wait, data)) !== undefined) return false
  const how = { status: 'answered', data, signal } as const
  const { outcome } = await settle(context, { run, wait }, how, `signal:${id}`)
  return outcome === 'settled'
}
