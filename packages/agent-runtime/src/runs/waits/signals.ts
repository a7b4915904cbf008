import type { SentSignal, SignalRequest } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { StoredRun } from '../../store/ports/run-store.ts'
import type { StoredSignal } from '../../store/ports/signal-store.ts'
import type { StoredWait } from '../../store/ports/wait.ts'
import { toCanonicalJson } from '../calls/effect-ledger.ts'
import type { RunsContext } from '../runs-options.ts'
import { problemOf, settle } from './waits.ts'

/** How long the id of a signal is known, in milliseconds. */
const knownMs = 24 * 60 * 60 * 1000
/** Kept signals of one event that a new wait looks at. */
const maxKept = 1000

/**
 * Stores a signal, then gives it to the waits that are open. After a crash in between, the same id delivers to the rest of
 * them.
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
  const wanted: StoredSignal = {
    id,
    event,
    data,
    createdAt: at(nowMs),
    ...(keep > 0 && { keptUntil: at(nowMs + keep * 1000) }),
  }
  const { signal, isNew } = await store.insertSignal({ ...wanted, knownSince: at(nowMs - knownMs) })
  if (!isNew && contentOf(signal) !== contentOf(wanted))
    throw new RuntimeError(
      'conflict',
      'Sending a signal failed: another signal has this id. Use another id, or send the same content.',
    )
  const delivered = signal.delivered ?? (await deliver(context, signal))
  return { signal: { id, event, created_at: signal.createdAt }, delivered }
}

const contentOf = ({ event, data, createdAt, keptUntil = createdAt }: StoredSignal) =>
  toCanonicalJson([event, data, Date.parse(keptUntil) - Date.parse(createdAt)])

/** Gives a signal to all waits that were opened before it. @returns how many got it */
async function deliver(context: RunsContext, signal: StoredSignal): Promise<number> {
  const { event, id, createdAt } = signal
  const open: StoredWait[] = []
  for (let cursor: string | undefined; ;) {
    const page = { limit: 500, ...(cursor !== undefined && { cursor }) }
    const { rows, nextCursor } = await context.store.listWaits({ event, status: 'open' }, page)
    open.push(...rows.filter((wait) => wait.createdAt <= createdAt))
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  let delivered = 0
  for (const wait of open.toReversed()) {
    const run = await context.store.findRun(wait.runId)
    if (run && (await give(context, { run, wait, signal }))) delivered += 1
  }
  return (await context.store.settleSignal({ id, createdAt, delivered })) ?? delivered
}

/** Gives a wait that is open the oldest kept signal that it accepts, unless its run has had that one. */
export async function takeKept(context: RunsContext, run: StoredRun, wait: StoredWait): Promise<void> {
  const { event } = wait
  if (event === undefined) return
  const kept = await context.store.listKeptSignals(event, context.timestamp(), maxKept)
  if (kept.length === 0) return
  const had = new Set((await context.store.listWaitsOf([run.id])).map(({ settledBy }) => settledBy))
  for (const signal of kept)
    if (!had.has(nameOf(signal)) && (await give(context, { run, wait, signal }))) return
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
  const { data } = signal
  if ((await problemOf(context, wait, data)) !== undefined) return false
  const { outcome } = await settle(context, { run, wait }, { status: 'answered', data }, nameOf(signal))
  return outcome === 'settled'
}

const nameOf = ({ id }: StoredSignal) => `signal:${id}`
