import type { RunResult } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { createWaits } from './waits/waits.ts'
import { createWaitExpiry, type WaitExpiry } from './waits/expire-waits.ts'
import { cancelRun, forwardAbort } from './cancel-run.ts'
import { followRun } from './events/follow-run.ts'
import { readEvents } from './events/read-events.ts'
import { countRunsBySource, findRun, listRuns } from './find-run.ts'
import { startGraph } from './graphs/start-graph.ts'
import type { LiveRun } from './live-runs.ts'
import { createRunRecovery, type RunRecovery } from './recovery/run-recovery.ts'
import { rerun } from './rerun.ts'
import { assertOpen } from './run-interrupts.ts'
import type { EndedRun, GraphHandle, RunHandle, Runs } from './runs.ts'
import { toRunsContext, type RunsContext, type RunsOptions } from './runs-options.ts'
import { startRun, toHandle } from './start.ts'
import { readSteps } from './trace/read-steps.ts'

export type { NumberedRunEvent, Runs } from './runs.ts'
export type { RunsOptions } from './runs-options.ts'

/**
 * Builds the runs of agents and graphs over a store (A4 to A6, A8, A10, A20, A21).
 *
 * @example
 * const runs = createRuns({ store, agents, models, tools, workspace: async (id) => `/data/workspaces/${id}` })
 * const { result } = await runs.start({ agent_id: 'helper', task: 'What time is it?' })
 * console.log((await result).output)
 * await runs.close()
 */
export function createRuns(options: RunsOptions): Runs {
  const context = toRunsContext(options)
  const { hooks } = context
  const closed = new AbortController()
  const listeners = new Set<(run: EndedRun) => void>()
  hooks.onEnded = (run) => tellAll(listeners, run, context)
  const recovery = createRunRecovery(context)
  const expiry = createWaitExpiry(context)
  const unsubscribe = heedSignals(context)
  let ending: Promise<void> | undefined
  const ready = createReady(context, recovery, expiry)
  // the run of an agent has an agent's result
  const resultOf = (...[id, own, signal]: [string, LiveRun?, AbortSignal?]) =>
    followRun(context, id, own, signal) as Promise<RunResult>

  return {
    recover: ready,
    async start(request, given = {}) {
      await ready()
      const { run, own } = await startRun(context, request, given)
      const result = resultOf(run.id, own)
      if (given.signal) forwardAbort(context, run.id, given.signal, result)
      return toHandle(run, result)
    },
    async rerun(id, asked = {}) {
      await ready()
      const { run, own, isNew } = await rerun(context, id, asked)
      return { ...toHandle(run, resultOf(run.id, own)), isNew }
    },
    ...createUndo(context, ready),
    async attach(runId, signal) {
      await ready()
      return attach(context, runId, signal, resultOf)
    },
    async startGraph(run, journal, signal): Promise<GraphHandle> {
      await ready()
      signal?.throwIfAborted()
      const handle = await startGraph(context, run, journal)
      if (signal) forwardAbort(context, handle.runId, signal, handle.result)
      return handle
    },
    async get(id) {
      await ready()
      const run = await findRun(context, id)
      if (run) return run
      throw new RuntimeError(
        'not_found',
        'Getting a run failed: no run has this id. List the runs to find it.',
      )
    },
    async find(id) {
      await ready()
      return findRun(context, id)
    },
    async steps(id, { prompt } = {}, signal = new AbortController().signal) {
      await ready()
      if (prompt === undefined) return readSteps(context, id)
      return (await import('./trace/read-prompt.ts')).readStepsWithPrompt(context, id, prompt, signal)
    },
    async list(query = {}, signal) {
      await ready()
      return listRuns(context, query, signal)
    },
    ...createCounts(context, ready),
    async *events(runId, sinceSeq, signal, given) {
      assertOpen(context)
      await recovery.recover()
      yield* readEvents(context, closed.signal, runId, sinceSeq, signal, given)
    },
    async message(...given) {
      await ready()
      return (await import('./send-input.ts')).sendInput(context, ...given)
    },
    async cancel(id) {
      await ready()
      return cancelRun(context, id)
    },
    ...createWaits(context, ready),
    onEnded(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: () =>
      (ending ??= closeRuns(context, [recovery, expiry], closed).then(() => {
        unsubscribe()
        if (!options.leases) context.leases.close()
      })),
  }
}

/** The calls that count runs. */
function createCounts(
  context: RunsContext,
  ready: () => Promise<void>,
): Pick<Runs, 'countBySource' | 'countByTime' | 'countByCause'> {
  return {
    async countBySource(query = {}, signal) {
      await ready()
      return countRunsBySource(context, query, signal)
    },
    async countByTime(query = {}, signal) {
      await ready()
      return (await import('./count-runs.ts')).countRunsByTime(context.store, query, signal)
    },
    async countByCause(query = {}, signal) {
      await ready()
      return (await import('./count-runs.ts')).countRunsByCause(context.store, query, signal)
    },
  }
}

/** Gives what the methods wait for: the first call has what was left resumed. */
function createReady(context: RunsContext, recovery: RunRecovery, expiry: WaitExpiry): () => Promise<void> {
  let first: Promise<void> | undefined
  return async () => {
    assertOpen(context)
    first ??= recovery.recover().then(expiry.start, (error: unknown) => {
      first = undefined
      throw error
    })
    await first
    assertOpen(context)
  }
}

function createUndo(context: RunsContext, ready: () => Promise<void>): Pick<Runs, 'undo' | 'findUndo'> {
  const load = async () => {
    await ready()
    return import('./undo/undo-run.ts')
  }
  return {
    undo: async (id) => (await load()).undoRun(context, id),
    findUndo: async (id) => (await load()).findUndo(context, id),
  }
}

async function attach(
  { store }: RunsContext,
  runId: string,
  signal: AbortSignal | undefined,
  resultOf: (id: string, own?: LiveRun, signal?: AbortSignal) => Promise<RunResult>,
): Promise<RunHandle> {
  const run = await store.findRun(runId, signal)
  if (!run)
    throw new RuntimeError('not_found', 'Joining a run failed: no run has this id. List the runs to find it.')
  if (run.kind !== 'agent') {
    throw new RuntimeError(
      'validation_error',
      'Joining a run failed: the run belongs to a graph. Use a run of an agent.',
    )
  }
  return toHandle(run, resultOf(runId, undefined, signal))
}

/** Tells runs and their readers of what was written. @returns what ends it */
function heedSignals({ store, watchers, live }: RunsContext): () => void {
  return store.subscribe((signal) => {
    if (signal.topic === 'run') watchers.notify(signal.runId)
    else if (signal.topic === 'input') live.get(signal.runId)?.onInput?.()
  })
}

function tellAll(
  listeners: ReadonlySet<(run: EndedRun) => void>,
  { id, parentRunId }: EndedRun,
  { logger }: RunsContext,
): void {
  const run = parentRunId === undefined ? { id } : { id, parentRunId }
  for (const listener of listeners) {
    try {
      listener(run)
    } catch (error) {
      logger.error('A listener for ended runs failed', { error: String(error) })
    }
  }
}

/** How long closing waits for tools that take their time to stop. */
const detachedGraceMs = 5000
/** How long closing waits for readers to take the last events of their runs. */
const readerGraceMs = 500

/**
 * Ends the runs of a process: over a durable store they are given back, otherwise they are cancelled. Resolves when
 * nothing of them runs any more.
 */
async function closeRuns(
  context: RunsContext,
  background: readonly { close(): Promise<void> }[],
  closed: AbortController,
): Promise<void> {
  const { closing, live, store, watchers } = context
  closing.abort(
    new RuntimeError('closed', 'Using the runs failed: the runtime was closed. Create another one.'),
  )
  for (const work of background) await work.close()
  if (store.isDurable) await giveBack(context)
  else await live.cancelAll()
  watchers.notifyAll()
  await watchers.gone(readerGraceMs)
  closed.abort()
  await context.detached.settled(detachedGraceMs)
}

async function giveBack({ closeGraceMs, leases, live, logger, store }: RunsContext): Promise<void> {
  const left = await live.giveBackAll(closeGraceMs)
  if (left.length === 0) return
  try {
    await store.releaseRuns(leases.owner, left)
  } catch (error) {
    // they go on all the same, once their leases are over
    logger.error('Releasing runs failed', { error: String(error) })
  }
}
