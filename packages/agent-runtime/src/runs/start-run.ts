import type { RunRequest } from '@homeward/contract/agent-platform'
import { accountsOf, mergeAccounts } from '../budgets/accounts.ts'
import { checkNumbers } from '../host-input/check-settings.ts'
import { limitNumber, integerFrom } from '@homeward/kit'
import type { BudgetAccount } from '../store/ports/budget-store.ts'
import { filesOf } from '../store/files-of.ts'
import { assertReadable } from '../models/fit/fit-files.ts'
import type { ModelMessage } from '../ports/message.ts'
import { takeUp } from './recovery/continue-run.ts'
import type { RunBeginning } from '../store/ports/new-run.ts'
import type { NewAgentRun } from '../store/ports/run-store.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { buildRunContext } from './build-run-context.ts'
import { findAskedConversation } from './asked-conversation.ts'
import { createActiveRun, noProgress } from './active-run.ts'
import type { LoadedRun } from './loaded-run.ts'
import { createModelChain, mergeSettings } from './turns/model-chain.ts'
import { assertHostedTools } from './turns/offered-tools.ts'
import { assertContext, readGivenContext } from './given-context.ts'
import { driveRun } from './drive-run.ts'
import { EventLog } from './events/event-log.ts'
import type { LiveRun } from './live-runs.ts'
import { guardInput } from './guards/guard-input.ts'
import { prepareRun } from './turns/prepare-run.ts'
import { chooseSetup, withSetup } from './run-setup.ts'
import { insertRun } from './insert-run.ts'
import { toSameRun } from './same-run.ts'
import { toRunLimits } from './run-limits.ts'
import { runTurns } from './turns/run-turns.ts'
import type { RunHandle, RunStartOptions } from './runs.ts'
import type { RunsContext } from './runs-options.ts'
import type { Redactor } from '../secrets/redact.ts'
import { cut } from '../json/to-json.ts'
import type { RunsParts } from './runs-parts.ts'
import type { RunStarter } from './run-starter.ts'

/** A run that is done again. */
export interface RunAgain {
  /** Id of the new run. */
  readonly id: string
  readonly rerunOf: NonNullable<NewAgentRun['rerunOf']>
  /** What it reads before its task. */
  readonly history: readonly ModelMessage[]
  /** What it takes over; absent to do everything again. */
  readonly begun?: RunBeginning
}

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
  again?: RunAgain,
): Promise<{ readonly run: NewAgentRun; readonly own: LiveRun | undefined; readonly isNew: boolean }> {
  const { context, live, watchers, checks } = parts
  const { signal } = given
  signal?.throwIfAborted()
  checkNumbers('Starting a run', given, { maxRuntimeMs: limitNumber, depth: integerFrom(0) })
  assertContext(request, given.instructions)
  const asked = toNewRun(context, again?.id ?? context.createId(), request, given)
  const { id } = asked
  const { agent, runContext, setup } = await findAgent(context, asked, signal)
  const { conversation, question } = await findAskedConversation(context, request, signal)
  const outputSchema = request.output_schema ?? agent.output_schema
  const settings = mergeSettings(agent.model_settings, request.model_settings)
  const chain = await createModelChain(context, agent, { settings }, signal)
  assertHostedTools(chain.current, chain.hostedTools)
  const { given: read, contents } = await readGivenContext(context, request, given, question?.message)
  assertReadable('Starting a run', chain.current, filesOf(read))
  const redact = await context.redactor()
  const inherited = given.accounts ?? (await accountsOfParent(parts, given.parentRunId))
  const nowMs = context.now()
  const run: NewAgentRun = {
    ...asked,
    ...(conversation && { conversationCreatedAt: conversation.createdAt }),
    ...read,
    ...(again && { rerunOf: again.rerunOf, history: again.history }),
    ...(question && { questionSeq: question.seq }),
    limits: toRunLimits(agent.limits, request.limits, given.maxRuntimeMs),
    model: chain.current.name,
    ...(setup && { setup }),
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
  const started = toStartedEvent(context, run, redact)
  const { begun } = again ?? {}
  const { own, known } = await insertRun(parts, run, [started], contents, begun)
  if (!own) return { run: toSameRun(known, request, run), own: live.get(known.id), isNew: false }

  own.log = new EventLog(1, () => watchers.notify(run.id))
  own.log.push({
    event: 'start',
    data: { run_id: run.id, conversation_id: run.conversationId, model: run.model },
  })
  const loaded: LoadedRun = {
    run,
    redact,
    log: own.log,
    model: run.model,
    startedAtMs: nowMs,
    progress: begun?.progress ?? { ...noProgress, tainted: run.tainted },
    messages: begun?.messages ?? [],
    spans: begun?.spans ?? [],
    effects: begun?.intents ?? [],
    ledger: begun?.intents ?? [],
  }
  const active = createActiveRun(context, loaded, {
    agent,
    chain,
    own,
    runContext,
    checkOutput: given.checkOutput,
  })
  const work = async () => {
    active.signal.throwIfAborted()
    await guardInput(context, active)
    await prepareRun(context, active)
    if (active.tools.byId.size > 0) checks.warmUp()
    return begun ? takeUp(context, checks, active, begun.intents) : runTurns(context, checks, active)
  }
  starter.begin(own, run, () => driveRun(context, active, work))
  return { run, own, isNew: true }
}

/** The agent of a run as the app wants it for this run. */
async function findAgent(
  context: RunsContext,
  asked: ReturnType<typeof toNewRun>,
  signal: AbortSignal | undefined,
) {
  const stored = await context.agents.find(asked.agentId, signal)
  if (!stored)
    throw new RuntimeError(
      'not_found',
      'Starting a run failed: no agent has this id. List the agents to find it.',
    )
  const runContext = await buildRunContext(context, asked, signal)
  const setup = await chooseSetup(context, runContext, signal)
  return { agent: withSetup(stored, setup), runContext, setup }
}

function toStartedEvent({ guards }: RunsContext, run: NewAgentRun, redact: Redactor): NewJournalEvent {
  const { agentId, conversationId, task, model } = run
  const data = redact.json({
    agent_id: agentId,
    conversation_id: conversationId,
    model,
    // the journal tells what was asked only if it is not checked first
    ...(!guards.input && { task: cut(task, 500) }),
    ...(run.parentRunId !== undefined && { parent_run_id: run.parentRunId }),
  })
  return { type: 'agent.started', timestamp: run.createdAt, runId: run.id, data }
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
  { source = 'api', depth = 0, tainted = false, parentRunId }: RunStartOptions,
) {
  const { agent_id, task, user_id, metadata, idempotency_key, conversation_id, store = true } = request
  return {
    kind: 'agent',
    id,
    agentId: agent_id,
    conversationId: conversation_id ?? context.createId(),
    ...(user_id !== undefined && { userId: user_id }),
    task,
    source,
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
