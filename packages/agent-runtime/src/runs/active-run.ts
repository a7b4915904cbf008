import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider'
import type { Agent, JournalEventType, JsonObject, RunStep, Usage } from '@homeward/contract/agent-platform'
import type { StoredEffect } from '../store/ports/effect.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { ModelMessage, ToolCallPart } from '../ports/message.ts'
import type { NewAgentRun, RunProgress } from '../store/ports/run-store.ts'
import type { Tool } from '../ports/tool.ts'
import { createAbortHub, type AbortHub } from '../concurrency/abort-hub.ts'
import type { ModelChain } from './turns/call-model.ts'
import type { EventLog } from './events/event-log.ts'
import type { UnsureSteps } from './persistence/keep-step.ts'
import type { LiveRun } from './live-runs.ts'
import type { ModelTurn } from './turns/model-turn.ts'
import type { Redactor } from '../secrets/redact.ts'
import type { WireName } from './turns/to-prompt.ts'

/** Tools of one run, as it and its model know them. */
export interface RunTools {
  readonly byId: ReadonlyMap<string, Tool>
  /** As the model gets them, under names that providers accept. */
  readonly offered: LanguageModelV4FunctionTool[]
  /** Name that the model knows a tool by. */
  readonly wireName: WireName
  /** Id of the tool that a model calls by this name; the name itself when there is none. */
  readonly idOf: (name: string) => string
}

/** What a run has come to: all that its end is written from. */
export interface RunRecord extends UnsureSteps {
  readonly run: NewAgentRun
  readonly log: EventLog
  readonly redact: Redactor
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number
  /** Milliseconds that it ran before it last waited. */
  readonly activeBeforeMs: number
  /** `provider/model-id` of the model that was called last. */
  model: string
  tools: RunTools
  readonly prompt: LanguageModelV4Message[]
  /** Messages of this run behind the task, in their order. */
  readonly messages: ModelMessage[]
  /** How many of `messages` the store has. */
  savedMessages: number
  readonly steps: RunStep[]
  journal: NewJournalEvent[]
  turns: number
  toolCalls: number
  tainted: boolean
  usage: Usage
  /** Text of the newest turn. */
  output: string
  /** Approvals that were asked for in this turn. */
  asked: readonly string[]
  /** A step that is being kept; the next write waits for it. */
  pending: Promise<void> | undefined
  /** Whether the newest step that was to be kept soon could not be: nothing more is done before that is known. */
  hasFailed: boolean
  /** Whether what was added is to be kept soon, if no other write takes it along before. */
  isDue: boolean
  /** Looks whether a step is due; armed once for as many turns as there are in one turn of the event loop. */
  soon: NodeJS.Immediate | undefined
  /**
   * Gives the entries of the ledger for the calls under way (A8): they are made when a write takes them along, for calls
   * that end before the next write need none.
   */
  intents: (() => readonly StoredEffect[]) | undefined
  /** Ids of this turn's calls that were told of: a call that is made again is not told twice. */
  readonly told: string[]
  /** What the ledger has, from before, of calls that have no result yet (A8). */
  ledger: readonly StoredEffect[]
}

/** A run under way in this process. */
export interface ActiveRun extends RunRecord {
  /** What this process knows of it. */
  readonly own: Pick<LiveRun, 'controller' | 'inCalls' | 'isLeaving' | 'hasNews'>
  /** Model calls that were begun in this process. */
  modelCalls: number
  /** When the newest one began, in milliseconds since the epoch. */
  turnStartedAtMs: number
  readonly agent: Agent
  readonly chain: ModelChain
  /** Aborts when the run is cancelled or its time is over. */
  readonly signal: AbortSignal
  /** The same signal, for those who only wait for a moment. */
  readonly abort: AbortHub
  /** Answer that is being read. */
  turn: ModelTurn | undefined
  /** The agent's folder, once a call has needed it. */
  workspace: string | undefined
}

/** What a record is made from when a run begins, goes on, or is ended from outside. */
export interface RunRecordInput extends Pick<RunRecord, 'run' | 'log' | 'redact' | 'startedAtMs' | 'model'> {
  readonly progress: RunProgress
  /** Messages that the store has. */
  readonly messages: readonly ModelMessage[]
  /** Calls of the newest turn that were told of. @default none */
  readonly told?: readonly string[]
  /** What the ledger has of calls without a result. @default nothing */
  readonly ledger?: readonly StoredEffect[]
}

/** How far a run is that has done nothing. */
export const noProgress: RunProgress = {
  turns: 0,
  toolCalls: 0,
  usage: { input_tokens: 0, output_tokens: 0 },
  activeMs: 0,
  tainted: false,
}

const noTools: RunTools = { byId: new Map(), offered: [], wireName: (id) => id, idOf: (name) => name }

export function createRunRecord(input: RunRecordInput): RunRecord {
  const { progress, messages, run, log, redact, startedAtMs, model } = input
  return {
    run,
    log,
    redact,
    startedAtMs,
    model,
    activeBeforeMs: progress.activeMs,
    tools: noTools,
    prompt: [],
    messages: [...messages],
    savedMessages: messages.length,
    steps: toSteps(messages, redact),
    journal: [],
    turns: progress.turns,
    toolCalls: progress.toolCalls,
    tainted: progress.tainted,
    usage: { ...progress.usage },
    output: lastText(messages),
    asked: progress.asked ?? [],
    pending: undefined,
    unsure: undefined,
    hasFailed: false,
    isDue: false,
    soon: undefined,
    intents: undefined,
    told: input.told?.slice() ?? [],
    ledger: input.ledger ?? [],
  }
}

/** What an active run is made from. */
export type ActiveRunInput = RunRecordInput & Pick<ActiveRun, 'agent' | 'chain' | 'own'>

export function createActiveRun(input: ActiveRunInput): ActiveRun {
  const { agent, chain, own } = input
  const { signal } = own.controller
  const abort = createAbortHub(signal)
  return {
    ...createRunRecord(input),
    agent,
    chain,
    own,
    modelCalls: 0,
    turnStartedAtMs: 0,
    signal,
    abort,
    turn: undefined,
    workspace: undefined,
  }
}

/** How far the run is, `lastSeq` being the number of its last event. */
export function progressOf(run: RunRecord, nowMs: number, lastSeq: number): RunProgress {
  const progress = {
    turns: run.turns,
    toolCalls: run.toolCalls,
    usage: { ...run.usage },
    activeMs: run.activeBeforeMs + Math.max(0, nowMs - run.startedAtMs),
    tainted: run.tainted,
    lastSeq,
  }
  return run.asked.length > 0 ? { ...progress, asked: run.asked } : progress
}

/**
 * Notes an event for the journal; it is written with the step. What a model or a tool gave has to be clean by then; the
 * journal looks through all of it once more.
 */
export function note(run: RunRecord, type: JournalEventType, timestamp: string, data: JsonObject): void {
  run.journal.push({ type, timestamp, runId: run.run.id, data })
}

/** Adds a message to the run and to what the model reads next. */
export function addMessage(run: RunRecord, message: ModelMessage, prompt: LanguageModelV4Message): void {
  run.messages.push(message)
  run.prompt.push(prompt)
}

/** The finished tool calls that messages hold, without secrets that a model gave as arguments. */
export function toSteps(messages: readonly ModelMessage[], redact: Redactor): RunStep[] {
  const steps: RunStep[] = []
  let calls = new Map<string, { readonly name: string; readonly args: RunStep['args'] }>()
  for (const message of messages) {
    if (message.role === 'assistant') {
      calls = new Map(message.parts.flatMap((part) => (part.type === 'tool_call' ? [[part.id, part]] : [])))
    } else if (message.role === 'tool') {
      for (const { id, name, result, error } of message.results) {
        const step = { tool: name, args: redact.json(calls.get(id)?.args ?? {}) }
        steps.push(error === undefined ? { ...step, result: result ?? null } : { ...step, error })
      }
    }
  }
  return steps
}

function lastText(messages: readonly ModelMessage[]): string {
  const message = messages.findLast(({ role }) => role === 'assistant')
  if (message?.role !== 'assistant') return ''
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Calls of the newest answer, in their order. */
export function lastCalls(messages: readonly ModelMessage[]): ToolCallPart[] {
  const message = messages.findLast(({ role }) => role === 'assistant')
  if (message?.role !== 'assistant') return []
  return message.parts.filter((part) => part.type === 'tool_call')
}

/** Calls of the newest answer that have no result yet. */
export function openCalls(messages: readonly ModelMessage[]): ToolCallPart[] {
  const answered = new Set<string>()
  for (const message of messages.toReversed()) {
    if (message.role !== 'tool') break
    for (const { id } of message.results) answered.add(id)
  }
  return lastCalls(messages).filter(({ id }) => !answered.has(id))
}
