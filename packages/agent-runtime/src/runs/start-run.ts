import type { RunRequest } from '@homeward/contract/agent-platform'
import type { NewRun, StoredRun } from '../ports/run-store.ts'
import { RuntimeError } from '../runtime-error.ts'
import { createActiveRun, noProgress } from './active-run.ts'
import { createModelChain } from './call-model.ts'
import { cancelled, driveRun } from './drive-run.ts'
import { createEventLog } from './event-log.ts'
import type { LiveRun } from './live-runs.ts'
import { prepareRun } from './prepare-run.ts'
import type { Redactor } from './redact.ts'
import { toRunLimits } from './run-limits.ts'
import { runTurns } from './run-turns.ts'
import type { RunHandle, Runs, RunStartOptions } from './runs.ts'
import type { RunsContext } from './runs-options.ts'
import { cut } from './to-json.ts'
import type { StoredRunsOptions } from './stored-runs.ts'

/** Builds {@link Runs.start}. `assertOpen` throws once the runtime is closed. */
export function createStart(options: StoredRunsOptions, assertOpen: () => void): Runs['start'] {
  const { context, live, watchers, checks } = options

  return async (request, given = {}) => {
    const { signal } = given
    signal?.throwIfAborted()
    const agent = await context.agents.find(request.agent_id, signal)
    if (!agent) throw new RuntimeError('not_found', 'Starting a run: there is no agent with this id')
    await assertOwnConversation(context, request, signal)
    const chain = await createModelChain(context, agent, signal)
    const redact = await context.redactor()
    const limits = toRunLimits(agent.limits, request.limits, given.maxRuntimeMs)
    const run = toNewRun(context, request, limits, chain.current.name)
    assertOpen()
    const own = live.take(run.id)
    const kept = await insertRun(context, own, run, redact)
    if (!kept.created) return join(options, kept.run, request)

    own.log = createEventLog(1, () => watchers.ring(run.id))
    own.log.push({
      event: 'start',
      data: { run_id: run.id, conversation_id: run.conversationId, model: run.model },
    })
    const active = createActiveRun({
      run,
      agent,
      chain,
      redact,
      log: own.log,
      model: run.model,
      messages: [],
      progress: { ...noProgress, tainted: given.tainted ?? false },
      depth: given.depth ?? 0,
      signal: own.controller.signal,
      startedAtMs: context.now(),
    })
    const work = async () => {
      active.signal.throwIfAborted()
      await prepareRun(context, active)
      if (active.tools.byId.size > 0) checks.warmUp()
      return runTurns(context, checks, active)
    }
    const unlink = forwardAbort(signal, own.controller)
    own.go(() => driveRun(context, active, own.controller, work).finally(unlink))
    return toHandle(context, run, own)
  }
}

async function insertRun(context: RunsContext, own: LiveRun, run: NewRun, redact: Redactor) {
  const { agentId, conversationId, task, model } = run
  const about = { agent_id: agentId, conversation_id: conversationId, model, task: cut(task, 500) }
  const data = redact.json(about)
  const started = { type: 'agent.started', timestamp: run.createdAt, runId: run.id, data } as const
  try {
    const kept = await context.store.insertRun(run, [started])
    if (!kept.created) own.discard()
    return kept
  } catch (cause) {
    own.discard()
    if (RuntimeError.is(cause)) throw cause
    throw new RuntimeError('storage_error', 'Starting a run: it could not be kept', {
      cause,
      retryable: true,
    })
  }
}

/** The same key gives the same run, under way or over. */
function join({ context, live }: StoredRunsOptions, run: StoredRun, request: RunRequest): RunHandle {
  if (run.agentId !== request.agent_id) {
    throw new RuntimeError(
      'conflict',
      'Starting a run: its idempotency key belongs to a run of another agent',
    )
  }
  const own = live.get(run.id)
  if (own) return toHandle(context, run, own)
  if (!run.result) throw new RuntimeError('conflict', 'Starting a run: the one with this key runs elsewhere')
  return { runId: run.id, conversationId: run.conversationId, result: Promise.resolve(run.result) }
}

function toHandle({ store }: RunsContext, run: NewRun, own: LiveRun): RunHandle {
  const result = own.result.then(async (value) => {
    const known = value ?? (await store.findRun(run.id))?.result
    if (known) return known
    throw new RuntimeError('storage_error', 'Running the agent: how the run ended is not known')
  })
  result.catch(() => {}) // not every caller waits for it
  return { runId: run.id, conversationId: run.conversationId, result }
}

/** A conversation belongs to one agent, and to one user when it has one (A12). */
async function assertOwnConversation(
  { store }: RunsContext,
  request: RunRequest,
  signal: RunStartOptions['signal'],
): Promise<void> {
  if (request.conversation_id === undefined) return
  const conversation = await store.findConversation(request.conversation_id, signal)
  if (!conversation) return // it is made when the run ends
  const { agentId, userId } = conversation
  const isForeign = userId !== undefined && request.user_id !== undefined && userId !== request.user_id
  if (agentId === request.agent_id && !isForeign) return
  throw new RuntimeError('not_found', 'Starting a run: the agent has no such conversation with this user')
}

function toNewRun(
  context: RunsContext,
  request: RunRequest,
  limits: NewRun['limits'],
  model: string,
): NewRun {
  const { agent_id, task, user_id, metadata, idempotency_key, conversation_id, store = true } = request
  return {
    id: context.createId(),
    agentId: agent_id,
    conversationId: conversation_id ?? context.createId(),
    ...(user_id !== undefined && { userId: user_id }),
    task,
    limits,
    store,
    model,
    ...(metadata && { metadata }),
    ...(idempotency_key !== undefined && { idempotencyKey: idempotency_key }),
    createdAt: context.timestamp(),
  }
}

function forwardAbort(signal: AbortSignal | undefined, controller: AbortController): () => void {
  if (!signal) return () => {}
  const forward = () => controller.abort(cancelled())
  if (signal.aborted) forward()
  signal.addEventListener('abort', forward)
  return () => signal.removeEventListener('abort', forward)
}
