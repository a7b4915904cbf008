import type { Agent, RunLimits, RunRequest } from '@homeward/contract/agent-platform'
import { integerFrom, limitNumber } from '@homeward/kit'
import { accountsOf, mergeAccounts } from '../budgets/accounts.ts'
import { whileStoreFails } from '../concurrency/while-store-fails.ts'
import { checkOptions } from '../host-input/check-options.ts'
import { cut } from '../json/to-json.ts'
import { assertReadable } from '../models/fit/fit-files.ts'
import { toTraceparent } from '../ports/instrumentation.ts'
import type { ModelMessage } from '../ports/message.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { Redactor } from '../secrets/redact.ts'
import { filesOf } from '../store/files-of.ts'
import { notOwnConversation, shownId } from '../store/own-conversation.ts'
import type { BudgetAccount } from '../store/ports/budget-store.ts'
import type { ConversationAppend } from '../store/ports/conversation-store.ts'
import type { FileContent } from '../store/ports/file-store.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { RunBeginning } from '../store/ports/new-run.ts'
import type { NewAgentRun, NewRun, StoredAgentRun } from '../store/ports/run-store.ts'
import { beginRun, workOn } from './continue.ts'
import { driveRun } from './drive.ts'
import { toStartEvent } from './events/event-log.ts'
import {
  assertContext,
  findAskedConversation,
  isSameContext,
  readGivenContext,
  toAsked,
  toQuestion,
} from './given.ts'
import type { LiveRun } from './live-runs.ts'
import { createModelChain, mergeSettings, type ModelChain } from './loop/model-chain.ts'
import { noProgress, Run, type LoadedRun, type RunOptions } from './loop/run.ts'
import { assertOpen } from './run-interrupts.ts'
import type { RunHandle, RunStartOptions } from './runs.ts'
import type { RunsContext } from './runs-options.ts'
import { buildRunContext, chooseSetup, withSetup } from './setup.ts'
import { assertHostedTools } from './stages/hosted-tools.ts'

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

/** A run that was stored, or joined. */
export interface StartedRun {
  readonly run: NewAgentRun
  /** Present when it works here. */
  readonly own: LiveRun | undefined
  readonly isNew: boolean
}

/** Keeps a run and begins its work, or joins the run that was there before. */
export async function startRun(
  context: RunsContext,
  request: RunRequest,
  given: RunStartOptions,
  again?: RunAgain,
): Promise<StartedRun> {
  given.signal?.throwIfAborted()
  const { maxRuntimeMs, depth } = given
  if (maxRuntimeMs !== undefined || depth !== undefined)
    checkOptions(
      'Starting a run',
      { maxRuntimeMs, depth },
      { maxRuntimeMs: limitNumber, depth: integerFrom(0) },
    )
  assertContext(request, given)
  const { run: asked, contents, ...made } = await makeRun(context, request, given, again)
  assertOpen(context)
  const redact = await context.redactor()
  const started = toStartedEvent(context, asked, redact)
  const { begun } = again ?? {}
  // what guards have not seen is not stored
  const isAsked = asked.store && asked.questionSeq === undefined && !context.guards.input
  const parts = { contents, ...(begun && { begun }), ...(isAsked && { question: toQuestion(asked) }) }
  const { own, known } = await insertRun(context, asked, [started], parts)
  if (!own) return { run: toSameRun(known, request, asked), own: context.live.get(known.id), isNew: false }
  const run = known as StoredAgentRun // it is the one that was made
  own.log = context.watchers.openLog(run.id, 1)
  own.log.push(toStartEvent(run, shownConversationOf(run)))
  const loaded: LoadedRun = {
    row: run,
    redact,
    log: own.log,
    model: run.model,
    startedAtMs: Date.parse(run.createdAt),
    progress: begun?.progress ?? { ...noProgress, tainted: run.tainted },
    messages: begun?.messages ?? [],
    spans: begun?.spans ?? [],
    effects: begun?.intents ?? [],
    ledger: begun?.intents ?? [],
  }
  const active = new Run({ context, own, ...made, checkOutput: given.checkOutput }, loaded)
  if (given.toolChoice) {
    const { toolChoiceStage } = await import('./stages/tool-choice.ts')
    active.use(toolChoiceStage(active, given.toolChoice))
  }
  const work = () =>
    driveRun(active, () => workOn(active, begun?.intents, request.conversation_id !== undefined))
  const { tracing } = context
  beginRun(context, own, run, () => tracing.current?.inside({ kind: 'run', run }, work) ?? work())
  return { run, own, isNew: true }
}

/** Of a run without a user it is the stored one. */
const shownConversationOf = ({ conversationId, userId }: Pick<NewAgentRun, 'conversationId' | 'userId'>) =>
  userId === undefined ? conversationId : shownId(conversationId)

interface MadeRun extends Pick<RunOptions, 'agent' | 'chain' | 'runContext'> {
  readonly run: NewAgentRun
  readonly contents: readonly FileContent[]
}

/** A run as it will be kept, with all that its request and its agent say. */
async function makeRun(
  context: RunsContext,
  request: RunRequest,
  given: RunStartOptions,
  again: RunAgain | undefined,
): Promise<MadeRun> {
  const { signal } = given
  const asked = toNewRun(context, again?.id ?? context.createId(), request, given)
  const stored = await context.agents.find(asked.agentId, signal)
  if (!stored)
    throw new RuntimeError(
      'not_found',
      `Starting a run failed: no agent has the id "${asked.agentId}". List the agents to find it.`,
    )
  const runContext = await buildRunContext(context, asked, signal)
  const setup = await chooseSetup(context, runContext, signal)
  const agent = withSetup(stored, setup)
  if (request.replaces !== undefined)
    await (await import('./make-room.ts')).makeRoom(context, request, signal)
  const retried = given.isRetry ? asked.questionId : undefined
  const from = { retried, isFromOutside: given.source === 'trigger' }
  const inConversation = await findAskedConversation(context, request, from, signal)
  const { question } = inConversation
  const outputSchema = request.output_schema ?? agent.output_schema
  const settings = mergeSettings(agent.model_settings, request.model_settings)
  const chain = await createModelChain(context, agent, { settings }, signal)
  const { given: own, contents } = await readGivenContext(context, agent, request, given, question?.message)
  const before =
    given.previous && (await (await import('./previous-run.ts')).readPreviousTurn(context, given.previous))
  const read = before ? { ...own, history: [...before.history, ...(own.history ?? [])] } : own
  assertUsable(chain, read)
  const { client_tools: clientTools = [] } = request
  if (clientTools.length > 0) {
    const { assertClientTools } = await import('./waits/client-tools.ts')
    const own = { ...runContext, conversationId: asked.conversationId }
    await assertClientTools(context, agent, own, clientTools, signal)
  }
  const run: NewAgentRun = {
    ...asked,
    agentVersion: stored.version,
    ...toAsked(inConversation, request.regenerate),
    ...read,
    ...(before?.tainted && { tainted: true }),
    ...(again && { rerunOf: again.rerunOf, history: again.history }),
    limits: toRunLimits(agent.limits, request.limits, given.maxRuntimeMs),
    model: chain.current.name,
    ...(setup && { setup }),
    ...(settings && { modelSettings: settings }),
    ...(outputSchema && { outputSchema }),
    ...(clientTools.length > 0 && { clientTools }),
    accounts: await toAccounts(context, asked, agent, request.budget, given),
  }
  return { run, contents, agent, chain, runContext }
}

/** @throws {RuntimeError} `validation_error` for tools or files that the model does not support. */
function assertUsable(chain: ModelChain, read: Parameters<typeof filesOf>[0]): void {
  const { current, hostedTools } = chain
  if (hostedTools.length > 0) assertHostedTools(current, hostedTools)
  if (read.files || read.history) assertReadable('Starting a run', current, filesOf(read))
}

export function toStartedEvent({ guards }: RunsContext, run: NewAgentRun, redact: Redactor): NewJournalEvent {
  const { agentId, task, model } = run
  const data = redact.json({
    agent_id: agentId,
    conversation_id: shownConversationOf(run),
    model,
    // the journal tells what was asked only if it is not checked first
    ...(!guards.input && { task: cut(task, 500) }),
    ...(run.parentRunId !== undefined && { parent_run_id: run.parentRunId }),
  })
  return { type: 'agent.started', timestamp: run.createdAt, runId: run.id, data }
}

const none: readonly BudgetAccount[] = []

/** Accounts of the run's budgets. The runs and tasks that it starts draw on them too. */
async function toAccounts(
  { live, store, now }: RunsContext,
  { id, agentId, userId }: Pick<NewAgentRun, 'id' | 'agentId' | 'userId'>,
  { budget, user_budget }: Pick<Agent, 'budget' | 'user_budget'>,
  asked: RunRequest['budget'],
  { accounts, parentRunId }: RunStartOptions,
): Promise<readonly BudgetAccount[]> {
  const parent =
    accounts || parentRunId === undefined
      ? undefined
      : (live.get(parentRunId)?.run ?? (await store.findRun(parentRunId)))
  const inherited = accounts ?? parent?.accounts ?? none
  const own = [budget, asked].filter((each) => each !== undefined)
  const ofUser = userId === undefined ? undefined : user_budget
  if (own.length === 0 && inherited.length === 0 && !ofUser) return none
  const nowMs = now()
  const subject = { kind: 'agent', id: agentId } as const
  return mergeAccounts(
    inherited,
    ...own.map((each) => accountsOf(subject, each, id, nowMs)),
    ofUser && userId !== undefined
      ? accountsOf({ ...subject, userId }, { period: 'day', ...ofUser }, id, nowMs)
      : [],
  )
}

function toNewRun(
  context: RunsContext,
  id: string,
  request: RunRequest,
  { source = 'api', depth = 0, tainted = false, parentRunId, background, questionId }: RunStartOptions,
) {
  const { agent_id, task, user_id, metadata, idempotency_key, conversation_id, store = true } = request
  const { message_id: messageId = questionId ?? `${id}.question` } = request
  return {
    kind: 'agent',
    id,
    agentId: agent_id,
    conversationId: conversation_id ?? context.createId(),
    ...(user_id !== undefined && { userId: user_id }),
    task,
    source,
    store,
    ...(store && { questionId: messageId }),
    ...(metadata && { metadata }),
    ...(idempotency_key !== undefined && { idempotencyKey: idempotency_key }),
    ...(parentRunId !== undefined && { parentRunId }),
    ...(background && { background }),
    depth,
    tainted,
    createdAt: context.timestamp(),
    ...(context.tracing.current && toTraceparent(context.tracing)),
  } as const
}

const defaultMaxTurns = 10
const defaultMaxRuntimeSeconds = 600

/** Limits that count for a run: the agent's, narrowed by the request's and the caller's (A5). */
function toRunLimits(
  agent: RunLimits | undefined,
  request: RunLimits | undefined,
  maxRuntimeMs: number | undefined,
): RunLimits {
  const tokens = smallest(agent?.max_tokens, request?.max_tokens)
  const seconds = maxRuntimeMs === undefined ? undefined : maxRuntimeMs / 1000
  return {
    max_turns: smallest(agent?.max_turns, request?.max_turns) ?? defaultMaxTurns,
    max_runtime: smallest(agent?.max_runtime, request?.max_runtime, seconds) ?? defaultMaxRuntimeSeconds,
    ...(tokens !== undefined && { max_tokens: tokens }),
  }
}

function smallest(...values: readonly (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined)
  return given.length > 0 ? Math.min(...given) : undefined
}

/** Parts that are stored with a new run. */
interface RunParts {
  readonly contents?: readonly FileContent[]
  readonly begun?: RunBeginning
  readonly question?: ConversationAppend
}

/** Keeps a run and takes it on. @returns the run that was there before, under the same idempotency key, without `own`. */
export async function insertRun(
  context: RunsContext,
  run: NewRun,
  journal: readonly NewJournalEvent[],
  { contents = [], ...parts }: RunParts = {},
) {
  const own = context.live.take(run.id)
  own.run = run
  // the same for all repeats: the first of them may be the one that was stored
  const lease = context.leases.lease()
  let tries = 0
  const insert = async () => {
    tries += 1
    // without a key a repeat is another run to the store: whether it is there is looked up by its id
    const known =
      tries > 1 && run.idempotencyKey === undefined ? await context.store.findRun(run.id) : undefined
    if (known) return { run: known, created: false }
    const whole = { ...run, ...parts, ...(contents.length > 0 && { contents }) }
    return context.store.insertRun(whole, lease, journal)
  }
  try {
    const kept = await whileStoreFails(context, insert)
    // if a write failed but was stored all the same, the repeat finds this run
    const isOurs = kept.created || (tries > 1 && kept.run.id === run.id)
    if (isOurs) {
      own.run = kept.run
      own.hold()
    } else own.discard()
    return { own: isOurs ? own : undefined, known: kept.run }
  } catch (cause) {
    own.discard()
    if (RuntimeError.is(cause)) throw parts.question ? toQuestionError(cause) : cause
    throw new RuntimeError('storage_error', 'Starting a run failed: the run could not be saved. Try again.', {
      cause,
      retryable: true,
    })
  }
}

/** Why a question is not stored: the conversation is somebody else's by now, or has a message with its id. */
function toQuestionError(cause: RuntimeError): RuntimeError {
  if (cause.code === 'not_found') return notOwnConversation('Starting a run')
  if (cause.code !== 'conflict') return cause
  return new RuntimeError(
    'conflict',
    'Starting a run failed: the conversation has a message with this id already. ' +
      'Send it with a new id, or name the message that it replaces in "replaces".',
  )
}

/** The same key gives the same run, under way or over, and never the answer to another task or of another user. */
function toSameRun(run: { readonly kind: string }, request: RunRequest, asked: NewAgentRun): StoredAgentRun {
  const known = run as StoredAgentRun // asked for in the next line
  if (
    known.kind === 'agent' &&
    known.agentId === request.agent_id &&
    known.task === request.task &&
    known.userId === request.user_id &&
    isSameStart(known, asked) &&
    // a run that named none was given one
    (request.conversation_id === undefined || asked.conversationId === known.conversationId)
  )
    return known
  throw new RuntimeError(
    'conflict',
    'Starting a run failed: this idempotency key was used for another run. Send a new key, or the same request as before.',
  )
}

/** What a rerun reads besides is that of the run before, as it was when it was first asked for. */
function isSameStart(known: NewAgentRun, asked: NewAgentRun): boolean {
  const [one, other] = [known.rerunOf, asked.rerunOf]
  if (one || other) return one?.runId === other?.runId && one?.step === other?.step
  return isSameContext(known, asked)
}

/** What a joined or started run is to its caller. */
export const toHandle = (run: NewAgentRun, result: RunHandle['result']): RunHandle => {
  result.catch(() => {}) // not every caller waits for it
  return { runId: run.id, conversationId: shownConversationOf(run), result }
}
