import type { RunResult } from '@homeward/contract/agent-platform'
import { whileStoreFails } from '../concurrency/while-store-fails.ts'
import type { ToolCallPart } from '../ports/message.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { StoredEffect } from '../store/ports/effect.ts'
import type { StoredAgentRun, StoredRun } from '../store/ports/run-store.ts'
import { refuseCalls } from './calls/call-events.ts'
import { checkResult, runCalls } from './calls/make-calls.ts'
import { isUncertain } from './calls/effect-ledger.ts'
import type { KnownCalls } from './calls/plan-calls.ts'
import { driveRun, heedInputs, saveFinish } from './drive.ts'
import { nextSeqOf, toStartEvent } from './events/event-log.ts'
import { childrenOf } from './find-run.ts'
import { runGraph } from './graphs/run-graph.ts'
import { endOf, type LiveEnd, type LiveRun } from './live-runs.ts'
import { createModelChain } from './loop/model-chain.ts'
import { prepareRun } from './loop/prepare.ts'
import { Run, RunState, type LoadedRun, type RunEnd, type RunStop } from './loop/run.ts'
import { endCalls, runTurns } from './loop/turns.ts'
import { isResumable } from './recovery/is-resumable.ts'
import { cancelled, isGivenUp, LostRun } from './run-interrupts.ts'
import { openCalls } from './run-messages.ts'
import type { EndedRun } from './runs.ts'
import { shownId } from '../store/own-conversation.ts'
import type { RunsContext } from './runs-options.ts'
import { buildRunContext, withSetup } from './setup.ts'
import { assertHostedTools } from './stages/hosted-tools.ts'

/** Begins the work of a run that is this process's. */
export function beginRun(
  context: RunsContext,
  own: LiveRun,
  run: EndedRun,
  work: () => Promise<LiveEnd>,
): void {
  own.go(async () => {
    const end = await work()
    if (end.kind !== 'stopped' || end.isKept === false) return end
    if (end.result && !end.isWaiting) tellEnded(context, own.run ?? run)
    // once it is not under way any more; what comes before that counts
    else void own.end.then(() => goOnBehind(context, own))
    return end
  })
}

/** Lets a run that waits go on with what came while it was about to. */
async function goOnBehind(context: RunsContext, own: LiveRun): Promise<void> {
  const noteMissed = () => noteMissedRun(context)
  if (own.hasNews || (await hasGraphNews(context, own).catch(noteMissed)))
    await resumeWaiting(context, own.id)
}

/** Whether a node has ended in another process, which saw the graph still at work. */
async function hasGraphNews(context: RunsContext, { id, run }: LiveRun): Promise<boolean> {
  const graph = run?.kind === 'graph' ? await context.store.findRun(id) : undefined
  return graph?.status === 'waiting' && isResumable(context, graph)
}

/** Says that a run may wait that was to go on: the store failed at the wrong moment. */
export function noteMissedRun({ hooks }: RunsContext): undefined {
  hooks.hasMissed = true
}

function tellEnded(context: RunsContext, run: EndedRun): void {
  context.hooks.onEnded?.(run)
  if (run.parentRunId === undefined || context.closing.signal.aborted) return
  const parent = context.live.get(run.parentRunId)
  // a graph that waits is looked at anyway: nearly always it knows of the node already
  if (parent) parent.hasNews ||= parent.run?.kind !== 'graph'
  else void resumeWaiting(context, run.parentRunId)
}

/** Lets a waiting run go on that has nothing to wait for. Does nothing when somebody else does, or when it waits. */
export function resumeWaiting(context: RunsContext, runId: string, reason?: RuntimeError): Promise<LiveEnd> {
  const { store, leases, live, closing } = context
  const known = live.get(runId)
  if (known) {
    known.hasNews = true // it may be about to wait, or found a moment ago that it has to
    return known.end
  }
  if (closing.signal.aborted) return Promise.resolve({ kind: 'stopped', result: undefined })
  const own = live.take(runId)
  if (reason) own.controller.abort(reason)
  beginRun(context, own, { id: runId }, async () => {
    const isOurs = await store.resumeRun(runId, leases.lease()).catch((error: unknown) => {
      noteMissedRun(context)
      throw error
    })
    if (!isOurs) return { kind: 'stopped', result: undefined }
    own.hold()
    const run = await whileStoreFails(context, () => store.findRun(runId), own.controller.signal)
    if (run?.cancelRequested) own.controller.abort(cancelled())
    return run ? goOn(context, run, own, false) : { kind: 'stopped', result: undefined }
  })
  return own.end
}

/** Goes on with runs whose lease is over. @returns how many. */
export async function takeOver(context: RunsContext, limit: number, id?: string): Promise<number> {
  const { store, leases, live, closing } = context
  // After a pause what is held here looks left too: it is renewed first, or known to be lost.
  if (!leases.isFresh()) await leases.renew()
  const claim = { lease: leases.lease(), now: context.timestamp(), limit }
  const runs = await store.claimRuns(id === undefined ? claim : { ...claim, id })
  for (const run of runs) {
    const before = live.get(run.id)
    before?.controller.abort(new LostRun('The lease of the run has expired'))
    const own = live.take(run.id)
    own.hold()
    if (run.cancelRequested) own.controller.abort(cancelled())
    else if (closing.signal.aborted) own.controller.abort(new LostRun('The runtime was closed'))
    beginRun(context, own, run, async () => {
      await before?.end
      return goOn(context, run, own, true)
    })
  }
  return runs.length
}

/** Ends a run that waits. */
export async function cancelWaiting(context: RunsContext, run: StoredRun): Promise<void> {
  if (run.kind === 'graph') {
    // its driver cancels what it has started
    await resumeWaiting(context, run.id, cancelled())
    return
  }
  const end = () => endStored(context, run, { stop: 'cancelled', error: cancelled() }, undefined, false)
  const result = await (context.tracing.current?.inside({ kind: 'run', run }, end) ?? end())
  if (result) tellEnded(context, run)
}

/**
 * A run that waits once more tells the one that waits for it: that goes on for a moment, to show what people are asked
 * now.
 */
async function tellParent(context: RunsContext, runId: string | undefined): Promise<void> {
  const find = () => (runId === undefined ? undefined : context.store.findRun(runId))
  const parent = await Promise.resolve(find()).catch(() => noteMissedRun(context))
  if (parent?.status === 'waiting') await resumeWaiting(context, parent.id)
}

/**
 * Goes on with a run that is this process's. Never rejects for what is wrong with the run: then it ends.
 *
 * @param isCutOff whether it did not stop by itself.
 */
export function goOn(
  context: RunsContext,
  run: StoredRun,
  own: LiveRun,
  isCutOff: boolean,
): Promise<LiveEnd> {
  own.run = run
  const work = () => workOnStored(context, run, own, isCutOff)
  return context.tracing.current?.inside({ kind: 'run', run }, work) ?? work()
}

async function workOnStored(
  context: RunsContext,
  run: StoredRun,
  own: LiveRun,
  isCutOff: boolean,
): Promise<LiveEnd> {
  const { signal } = own.controller
  try {
    const end =
      run.kind === 'graph'
        ? await runGraph(context, run, own, isCutOff)
        : await continueRun(context, run, own, isCutOff)
    if (end.kind === 'stopped' && end.isWaiting) void own.end.then(() => tellParent(context, run.parentRunId))
    return end
  } catch (cause) {
    if (run.kind === 'graph') throw cause
    if (cause instanceof LostRun) return { kind: 'lost' }
    if (signal.aborted && isGivenUp(signal.reason)) return endOf(signal)
    const error = toFailure(context, run, signal.aborted ? signal.reason : cause)
    const stop = error.code === 'cancelled' ? 'cancelled' : 'error'
    const result = await endStored(context, run, { stop, error }, context.leases.owner, isCutOff)
    return result ? { kind: 'stopped', result } : { kind: 'lost' }
  }
}

function toFailure(context: RunsContext, run: StoredRun, cause: unknown): RuntimeError {
  if (RuntimeError.is(cause) && cause.code === 'cancelled') return cause
  context.logger.error('Resuming a run failed', { runId: run.id, error: String(cause) })
  if (RuntimeError.is(cause)) return cause
  return new RuntimeError(
    'run_error',
    'Resuming a run failed: an unexpected error occurred. Read the log of the server.',
    { cause },
  )
}

/** Ends a run without taking it up. @returns undefined when it is not to be ended by us. */
async function endStored(
  context: RunsContext,
  run: StoredAgentRun,
  how: RunEnd,
  owner: string | undefined,
  isCutOff: boolean,
): Promise<RunResult | undefined> {
  const state = new RunState(context, await whileStoreFails(context, () => loadRun(context, run, isCutOff)))
  if (state.progress.asked.length > 0) await (await loadAsked()).tellCancelled(context, state)
  refuseCalls(state, openCalls(state.writer.messages), 'Not called: the run ended before')
  const result = await saveFinish(context, state, how, owner)
  context.watchers.notify(run.id)
  return result
}

/**
 * Goes on with a run behind what is kept of it: after a crash, a shutdown, or a person's decisions.
 *
 * @throws {RuntimeError} `not_found` when the agent is gone; `model_not_configured`; `run_error` if `contextFor` fails.
 */
async function continueRun(
  context: RunsContext,
  stored: StoredAgentRun,
  own: LiveRun,
  isCutOff: boolean,
): Promise<LiveEnd> {
  const { signal } = own.controller
  const load = async () => {
    if (isCutOff) await assertNotStuck(context, stored)
    return loadRun(context, stored, isCutOff)
  }
  const loaded = await whileStoreFails(context, load, signal)
  own.log = loaded.log
  const { row } = loaded
  const found = await whileStoreFails(context, () => context.agents.find(row.agentId, signal), signal)
  if (!found)
    throw new RuntimeError(
      'not_found',
      'Resuming a run failed: its agent was deleted. Create the agent again.',
    )
  const agent = withSetup(found, row.setup)
  const { modelSettings: settings, model: givenFor } = row
  const chain = await createModelChain(context, agent, { settings, givenFor }, signal)
  if (chain.hostedTools.length > 0) assertHostedTools(chain.current, chain.hostedTools)
  const runContext = await buildRunContext(context, row, signal)
  const run = new Run({ context, agent, chain, own, runContext }, { ...loaded, model: chain.current.name })
  heedInputs(run) // some may have come while nobody worked on it
  return driveRun(run, () => workOn(run, loaded.effects))
}

/**
 * Does the work of a run. One that goes on first makes the calls of its newest answer that have no result, unless the ledger
 * forbids it (A8) or a person does (A20).
 *
 * @param effects what the ledger has of these calls; undefined for a run that begins
 * @param hasConversation whether its conversation may have messages: not if the run has just made it
 */
export async function workOn(
  run: Run,
  effects: readonly StoredEffect[] | undefined,
  hasConversation = true,
): Promise<RunStop> {
  run.signal.throwIfAborted()
  const verdicts = effects && run.progress.asked.length > 0 && (await (await loadAsked()).readVerdicts(run))
  const pause = await prepareRun(run, hasConversation)
  if (pause) return pause
  const undo = run.row.undoes && (await (await import('./undo/take-back.ts')).openUndo(run))
  const calls = effects ? openCalls(run.writer.messages) : []
  if (effects && calls.length > 0) {
    const decided = verdicts || new Map<string, never>()
    const made = [...calls, ...effects.flatMap(toInnerCall)]
    const mayVerify = effects.some((effect) => isUncertain(effect) && run.tools.byId.get(effect.tool)?.verify)
    const settled = mayVerify
      ? await (await import('./calls/verify-calls.ts')).verifyCalls(run, effects, made, decided)
      : effects
    const known = await checkOutcomes(run, settled, made)
    const before: KnownCalls = {
      verdicts: decided,
      ledger: new Map(known.map((effect) => [effect.callId, effect])),
    }
    run.known = before
    const end = endCalls(run, await runCalls(run, calls, before))
    if (end) return end
  }
  return undo ? undo() : runTurns(run)
}

/** The call of a program that an entry is about; none for a call of the model. */
const toInnerCall = ({ callId: id, tool: name, inner }: StoredEffect): readonly ToolCallPart[] =>
  inner ? [{ type: 'tool_call', id, name, args: inner.args }] : []

const loadAsked = () => import('./waits/settle-asked.ts')

/** Checks results that the ledger holds since before a crash, and that nobody has checked. */
async function checkOutcomes(
  run: Run,
  effects: readonly StoredEffect[],
  calls: readonly ToolCallPart[],
): Promise<StoredEffect[]> {
  return Promise.all(
    effects.map(async (effect) => {
      const { outcome, callId, key } = effect
      if (!outcome?.isUnchecked) return effect
      const { args = {} } = calls.find(({ id }) => id === callId) ?? {}
      // the arguments of a call that was made are an object
      const asked = outcome.result.edited_args ?? (args as NonNullable<typeof outcome.result.edited_args>)
      const result = await checkResult(run, { key, args: asked, result: outcome.result })
      run.signal.throwIfAborted()
      const { isUnchecked: _, ...others } = outcome
      return { ...effect, outcome: { ...others, result: result ?? outcome.result } }
    }),
  )
}

/** Loads an agent's run, with a log that goes on behind its last event. */
async function loadRun(context: RunsContext, run: StoredAgentRun, isCutOff: boolean): Promise<LoadedRun> {
  const { store, watchers } = context
  const messages = await store.listRunMessages(run.id)
  const spans = await store.listRunSpans(run.id)
  const effects = await store.listEffects(run.id)
  const { nextSeq, isFirst } = await nextSeqOf(context, run, isCutOff)
  const log = watchers.openLog(run.id, nextSeq)
  if (isFirst) log.push(toStartEvent(run, shownId(run.conversationId)))
  return {
    row: { ...run, ...run.progress.input },
    messages,
    spans,
    effects,
    // of a run that waits, those without an outcome wait too
    ledger: isCutOff ? effects : effects.filter(({ outcome }) => outcome !== undefined),
    progress: { ...run.progress, tainted: run.progress.tainted || run.tainted },
    model: run.model,
    log,
    redact: await context.redactor(),
    startedAtMs: context.now(),
  }
}

/** Take-overs from processes that died, without a turn in between, behind which a run is taken to be what they die of. */
const maxTakeOvers = 9

/**
 * Refuses to go on with a run that has ended its processes again and again without getting any further: nothing else
 * would stop it. One whose sub-agent is under way goes on, for only that one may be the reason, and is refused itself.
 *
 * @throws {RuntimeError} `run_error`.
 */
async function assertNotStuck({ store }: RunsContext, run: StoredRun): Promise<void> {
  const { takeOvers = 0 } = run
  if (takeOvers <= maxTakeOvers) return
  for await (const _child of childrenOf(store, run.id, 'running')) return
  throw new RuntimeError(
    'run_error',
    `Resuming a run failed: ${takeOvers} processes in a row ended during the run without completing a turn. One of its tools may ` +
      'stop the process or use up its memory, so the run will not be retried automatically. To run the task again, submit ' +
      'it again, with a new idempotency key if it had one.',
    { retryable: true },
  )
}
