import type { RunRequest } from '@homeward/contract/agent-platform'
import { accountsOf, mergeAccounts } from '../budgets/accounts.ts'
import { checkNumbers } from '../host-input/check-settings.ts'
import { bound, wholeFrom } from '@homeward/kit'
import type { BudgetAccount } from '../store/ports/budget-store.ts'
import type { FileContent } from '../store/ports/file-store.ts'
import { filesOf } from '../store/files-of.ts'
import { assertReadable } from '../models/fit/fit-files.ts'
import type { NewAgentRun, NewRun, StoredAgentRun } from '../store/ports/run-store.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { findAskedConversation } from './asked-conversation.ts'
import { createActiveRun, noProgress } from './active-run.ts'
import type { LoadedRun } from './loaded-run.ts'
import { createModelChain, mergeSettings } from './turns/model-chain.ts'
import { assertHostedTools } from './turns/offered-tools.ts'
import { assertContext, isSameContext, readGivenContext } from './given-context.ts'
import { driveRun } from './drive-run.ts'
import { EventLog } from './events/event-log.ts'
import type { LiveRun } from './live-runs.ts'
import { prepareRun } from './turns/prepare-run.ts'
import { toRunLimits } from './run-limits.ts'
import { runTurns } from './turns/run-turns.ts'
import type { RunHandle, RunStartOptions } from './runs.ts'
import type { RunsContext } from './runs-options.ts'
import { cut } from '../json/to-json.ts'
import type { RunsParts } from './runs-parts.ts'
import type { RunStarter } from './run-starter.ts'
import { whileStoreFails } from '../concurrency/while-store-fails.ts'

/**
 * Keeps a run and begins its work, or joins the run that was there before.
 *
 * @param assertOpen throws once the runtime is closed.
 * @returns `own`: present when it works here.
 */
export async function startRun(
  parts: RunsParts,
  starter: RunStarter,
  assertOpen: () => void,
  request: RunRequest,
  given: RunStartOptions,
): Promise<{ readonly run: NewAgentRun; readonly own: LiveRun | undefined }> {
  const { context, live, watchers, checks } = parts
  const { signal } = given
  signal?.throwIfAborted()
  checkNumbers('Starting a run', given, { maxRuntimeMs: bound, depth: wholeFrom(0) })
  assertContext(request, given.instructions)
  const agent = await context.agents.find(request.agent_id, signal)
  if (!agent) throw new RuntimeError('not_found', 'Starting a run failed: there is no agent with this id')
  const { conversation, question } = await findAskedConversation(context, request, signal)
  const outputSchema = request.output_schema ?? agent.output_schema
  const settings = mergeSettings(agent.model_settings, request.model_settings)
  const chain = await createModelChain(context, agent, { settings }, signal)
  assertHostedTools(chain.current, chain.hostedTools)
  const { given: read, contents } = await readGivenContext(context, request, given, question?.message)
  assertReadable('Starting a run', chain.current, filesOf(read))
  const redact = await context.redactor()
  const inherited = given.accounts ?? (await accountsOfParent(parts, given.parentRunId))
  const id = context.createId()
  const nowMs = context.now()
  const run: NewAgentRun = {
    ...toNewRun(context, id, request, given),
    ...(conversation && { conversationCreatedAt: conversation.createdAt }),
    ...read,
    ...(question && { questionSeq: question.seq }),
    limits: toRunLimits(agent.limits, request.limits, given.maxRuntimeMs),
    model: chain.current.name,
    ...(settings && { modelSettings: settings }),
    ...(outputSchema && { outputSchema }),
    accounts:
      agent.budget || request.budget || inherited.length > 0
        ? mergeAccounts(
            inherited,
            accountsOf({ kind: 'agent', id: agent.id }, agent.budget, id, nowMs),
            accountsOf({ kind: 'agent', id: agent.id }, request.budget, id, nowMs),
          )
        : inherited,
  }
  assertOpen()
  const { agentId, conversationId, task, model } = run
  const data = redact.json({
    agent_id: agentId,
    conversation_id: conversationId,
    model,
    task: cut(task, 500),
    ...(run.parentRunId !== undefined && { parent_run_id: run.parentRunId }),
  })
  const started = { type: 'agent.started', timestamp: run.createdAt, runId: run.id, data } as const
  const { own, known } = await insertRun(parts, run, [started], contents)
  if (!own) return { run: toSameRun(known, request, run), own: live.get(known.id) }

  own.log = new EventLog(1, () => watchers.notify(run.id))
  own.log.push({
    event: 'start',
    data: { run_id: run.id, conversation_id: run.conversationId, model: run.model },
  })
  const begun: LoadedRun = {
    run,
    redact,
    log: own.log,
    model: run.model,
    startedAtMs: nowMs,
    progress: { ...noProgress, tainted: run.tainted },
    messages: [],
    effects: [],
    ledger: [],
  }
  const active = createActiveRun(context, begun, { agent, chain, own, checkOutput: given.checkOutput })
  const work = async () => {
    active.signal.throwIfAborted()
    await prepareRun(context, active)
    if (active.tools.byId.size > 0) checks.warmUp()
    return runTurns(context, checks, active)
  }
  starter.begin(own, run, () => driveRun(context, active, work))
  return { run, own }
}

/** Keeps a run and takes it on. @returns the run that was there before, under the same idempotency key, without `own`. */
export async function insertRun(
  { context, live }: Pick<RunsParts, 'context' | 'live'>,
  run: NewRun,
  journal: readonly NewJournalEvent[],
  contents: readonly FileContent[] = [],
) {
  const own = live.take(run.id)
  own.run = run
  // the same for all repeats: the first of them may be the one that was kept
  const lease = context.leases.lease()
  let tries = 0
  const insert = async () => {
    tries += 1
    // without a key a repeat is another run to the store: whether it is there is looked up by its id
    const known =
      tries > 1 && run.idempotencyKey === undefined ? await context.store.findRun(run.id) : undefined
    if (known) return { run: known, created: false }
    return context.store.insertRun(contents.length > 0 ? { ...run, contents } : run, lease, journal)
  }
  try {
    const kept = await whileStoreFails(context, insert)
    // of a write that failed and was kept all the same, the repeat finds this very run
    const isOurs = kept.created || (tries > 1 && kept.run.id === run.id)
    if (isOurs) own.hold()
    else own.discard()
    return { own: isOurs ? own : undefined, known: kept.run }
  } catch (cause) {
    own.discard()
    if (RuntimeError.is(cause)) throw cause
    throw new RuntimeError('storage_error', 'Starting a run failed: it could not be kept', {
      cause,
      retryable: true,
    })
  }
}

/** The same key gives the same run, under way or over, and never the answer to another task or of another user. */
function toSameRun(run: { readonly kind: string }, request: RunRequest, asked: NewAgentRun): StoredAgentRun {
  const known = run as StoredAgentRun // asked for in the next line
  if (
    known.kind === 'agent' &&
    known.agentId === request.agent_id &&
    known.task === request.task &&
    known.userId === request.user_id &&
    isSameContext(known, asked) &&
    // a run that named none was given one
    (request.conversation_id ?? known.conversationId) === known.conversationId
  )
    return known
  throw new RuntimeError(
    'conflict',
    'Starting a run failed: its idempotency key belongs to another run. Send another key, or the same request.',
  )
}

/** What a run draws on, all that it starts draws on too. */
async function accountsOfParent(
  { context, live }: RunsParts,
  parentRunId: string | undefined,
): Promise<readonly BudgetAccount[]> {
  if (parentRunId === undefined) return none
  const parent = live.get(parentRunId)?.run ?? (await context.store.findRun(parentRunId))
  return parent?.accounts ?? none
}

const none: readonly BudgetAccount[] = []

function toNewRun(
  context: RunsContext,
  id: string,
  request: RunRequest,
  { depth = 0, tainted = false, parentRunId }: RunStartOptions,
) {
  const { agent_id, task, user_id, metadata, idempotency_key, conversation_id, store = true } = request
  return {
    kind: 'agent',
    id,
    agentId: agent_id,
    conversationId: conversation_id ?? context.createId(),
    ...(user_id !== undefined && { userId: user_id }),
    task,
    store,
    ...(metadata && { metadata }),
    ...(idempotency_key !== undefined && { idempotencyKey: idempotency_key }),
    ...(parentRunId !== undefined && { parentRunId }),
    depth,
    tainted,
    createdAt: context.timestamp(),
  } as const
}

/** What a joined or started run is to its caller. */
export const toHandle = (run: NewAgentRun, result: RunHandle['result']): RunHandle => {
  result.catch(() => {}) // not every caller waits for it
  return { runId: run.id, conversationId: run.conversationId, result }
}
