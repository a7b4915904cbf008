import { shareAborts } from '@homeward/kit'
import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { Agent, Json, RunStep, Usage } from '@homeward/contract/agent-platform'
import { createCallMeter, type CallMeter } from '../budgets/create-call-meter.ts'
import type { ModelMessage, ToolCallPart, ToolResult } from '../ports/message.ts'
import type { RunContext } from '../ports/run-context.ts'
import type { Redactor } from '../secrets/redact.ts'
import type { CheckedInput } from '../store/ports/given-context.ts'
import type { NewAgentRun, RunCost, RunProgress } from '../store/ports/run-store.ts'
import type { ModelAttempt } from '../store/ports/run-trace.ts'
import { addCost, addTokens } from './add-tokens.ts'
import { createWorkspaceOpener } from './calls/workspace-opener.ts'
import type { EventLog } from './events/event-log.ts'
import type { HeldAnswer } from './guards/held-answer.ts'
import type { LiveRun } from './live-runs.ts'
import type { LoadedRun } from './loaded-run.ts'
import { progressOf } from './persistence/progress-of.ts'
import { RunWriter } from './persistence/run-writer.ts'
import { lastText, sourcesOf, toStep, toSteps } from './run-messages.ts'
import type { RunStartOptions } from './runs.ts'
import type { RunsContext } from './runs-options.ts'
import type { ModelChain } from './turns/model-chain.ts'
import type { ModelTurn } from './turns/model-turn.ts'
import { noTools, type RunTools } from './turns/run-tools.ts'
import { toPromptMessage } from './turns/to-prompt.ts'
import { createPromptFitter, type PromptFitter } from './window/prompt-fitter.ts'

/**
 * What an agent's run has come to: all that its end is written from. Only this file, `run-turns.ts` and `prepare-run.ts`
 * change it; what is written of it, the writer knows.
 */
export interface AgentRunState {
  /** As its guards left it. */
  run: NewAgentRun
  /** What the guards of the input left; undefined before they were asked, and without any. */
  checkedInput: CheckedInput | undefined
  readonly writer: RunWriter
  readonly log: EventLog
  readonly redact: Redactor
  /** `provider/model-id` of the model that was called last. */
  model: string
  tools: RunTools
  /** What the model reads next. */
  readonly prompt: LanguageModelV4Message[]
  /** Place of the task in {@link prompt}. */
  taskAt: number
  /** Calls that have ended. */
  readonly steps: RunStep[]
  turns: number
  toolCalls: number
  /** Whether it has read what a stranger may have made (A20). */
  tainted: boolean
  readonly usage: Usage
  /** What that has cost; undefined before the first model call. */
  cost: RunCost | undefined
  /** Text of the newest turn; the JSON text of {@link data} once there is some. */
  output: string
  /** What the run's `output_schema` describes. */
  data: Json | undefined
  /** What providers warned of. */
  readonly warnings: string[]
  /** Addresses of its sources. */
  readonly sources: Set<string>
  /** Approvals that were asked for in this turn. */
  asked: readonly string[]
}

/** An agent's run under way in this process: what its turns read. */
export interface ActiveRun extends AgentRunState {
  /** What this process knows of it. */
  readonly own: Pick<LiveRun, 'controller' | 'inCalls' | 'isLeaving' | 'hasNews'> &
    Partial<Pick<LiveRun, 'view'>>
  readonly agent: Agent
  /** What tools and instructions get of the run. */
  readonly runContext: RunContext
  readonly chain: ModelChain
  /** What the host checks of an output besides: see `RunStartOptions`. */
  readonly checkOutput: RunStartOptions['checkOutput'] | undefined
  /** Counts what model calls cost; undefined without a budget. */
  readonly meter: CallMeter | undefined
  /** Fits what the model reads to its context window. */
  readonly fitter: PromptFitter
  /** Milliseconds that it ran before it last waited. */
  readonly activeBeforeMs: number
  /** Aborts when the run is cancelled or its time is over. */
  readonly signal: AbortSignal
  /** When the newest turn began, in milliseconds since the epoch. */
  turnStartedAtMs: number
  /** Attempts at the model call under way; the last one has not ended. */
  attempts: ModelAttempt[]
  /** Answer that is being read. */
  turn: ModelTurn | undefined
  /** What is not shown of it before its guards were asked; undefined without guards. */
  held: HeldAnswer | undefined
  /** Gives the agent's folder; undefined when it cannot be used. */
  readonly workspace: () => Promise<string | undefined>
}

/** How far a run is that has done nothing. */
export const noProgress: RunProgress = {
  turns: 0,
  toolCalls: 0,
  usage: { input_tokens: 0, output_tokens: 0 },
  activeMs: 0,
  tainted: false,
}

/** @param signal ends the repetition of writes that fail. */
export function createAgentRunState(
  context: RunsContext,
  loaded: LoadedRun,
  signal?: AbortSignal,
): AgentRunState {
  const { progress, messages, spans, run, log, redact, startedAtMs, model, effects, ledger } = loaded
  const state: AgentRunState = {
    run,
    checkedInput: progress.input,
    writer: new RunWriter({
      context,
      runId: run.id,
      log,
      progress: () => progressOf(state, progress.activeMs + Math.max(0, context.now() - startedAtMs)),
      messages,
      spans,
      announced: effects.map(({ callId }) => callId),
      ledger,
      ...(signal && { signal }),
    }),
    log,
    redact,
    model,
    tools: noTools,
    prompt: [],
    taskAt: 0,
    steps: toSteps(messages, redact),
    turns: progress.turns,
    toolCalls: progress.toolCalls,
    tainted: progress.tainted,
    usage: { ...progress.usage },
    cost: progress.cost,
    output: lastText(messages),
    data: undefined,
    warnings: [...(progress.warnings ?? [])],
    sources: new Set(sourcesOf(messages).map(({ url }) => url)),
    asked: progress.asked ?? [],
  }
  return state
}

export function createActiveRun(
  context: RunsContext,
  loaded: LoadedRun,
  parts: Pick<ActiveRun, 'agent' | 'chain' | 'own' | 'runContext'> & Partial<Pick<ActiveRun, 'checkOutput'>>,
): ActiveRun {
  const { id: runId, agentId, accounts } = loaded.run
  const { agent } = parts
  const signal = shareAborts(parts.own.controller.signal)
  const turn = () => run.turns + 1
  // the very state, not a copy: its writer reads it
  const workspace = createWorkspaceOpener(context, agentId, signal)
  const run: ActiveRun = Object.assign(createAgentRunState(context, loaded, signal), {
    checkOutput: undefined,
    ...parts,
    meter: createCallMeter(context, { runId, accounts, signal, turn }),
    activeBeforeMs: loaded.progress.activeMs,
    signal,
    turnStartedAtMs: 0,
    attempts: [],
    turn: undefined,
    held: undefined,
    workspace,
    fitter: createPromptFitter(context, { agent, taskAt: () => run.taskAt, workspace }),
  })
  return run
}

/** Adds a message to the run and to what the model reads next. */
export function addMessage(run: AgentRunState, message: ModelMessage): void {
  run.writer.add(message)
  run.prompt.push(toPromptMessage(message, run.tools.wireName))
}

/** Adds the results of calls to the run: to its steps, its messages, and what the model reads next. */
export function addResults(
  run: AgentRunState,
  calls: readonly ToolCallPart[],
  results: readonly ToolResult[],
): void {
  run.writer.endCalls()
  if (results.length === 0) return
  run.steps.push(...results.map((result) => toStep(result, calls, run.redact)))
  addMessage(run, { role: 'tool', results: results.map((result) => withVia(result, calls)) })
}

/** A result belongs to the tool that the model called. */
function withVia(result: ToolResult, calls: readonly ToolCallPart[]): ToolResult {
  const { via } = calls.find(({ id }) => id === result.id) ?? {}
  return via ? { ...result, via } : result
}

/** Says that the run has read what a stranger may have made. */
export function taint(run: AgentRunState): void {
  run.tainted = true
}

/** Adds what a provider warned of. */
export function addWarning(run: AgentRunState, text: string): void {
  run.warnings.push(text)
}

/** Puts what the guards left in the place of what came in. */
export function setCheckedInput(run: AgentRunState, checked: CheckedInput): void {
  run.checkedInput = checked
  run.run = { ...run.run, ...checked }
}

/** Forgets the text of the turns before: it is not the answer of a run whose answer was refused. */
export function clearOutput(run: AgentRunState): void {
  run.output = ''
}

/** Says what the run's `output_schema` describes. */
export function setOutput(run: AgentRunState, data: Json): void {
  run.data = data
  run.output = JSON.stringify(data)
}

/** Counts a tool call. */
export function countCall(run: AgentRunState): void {
  run.toolCalls += 1
}

/** Adds what a model call has used, and what that has cost. */
export function countUsage(run: AgentRunState, used: Usage, cost: RunCost): void {
  addTokens(run.usage, used)
  run.cost = addCost(run.cost, cost)
}

/** Says which approvals the run waits for. */
export function setAsked(run: AgentRunState, ids: readonly string[]): void {
  run.asked = ids
}
