import { linkSignals, untilAborted } from '@homeward/kit'
import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type {
  Agent,
  AnswerSource,
  Json,
  ResultFile,
  RunResult,
  RunStep,
  StopReason,
  Wait,
} from '@homeward/contract/agent-platform'
import { toFileReference } from '../../files/to-files.ts'
import type { ModelMessage, ToolCallPart, ToolResult } from '../../ports/message.ts'
import type { RunContext } from '../../ports/run-context.ts'
import type { RuntimeError } from '../../ports/runtime-error.ts'
import type { Redactor } from '../../secrets/redact.ts'
import { shownId } from '../../store/own-conversation.ts'
import type { StoredEffect } from '../../store/ports/effect.ts'
import type { CheckedInput } from '../../store/ports/given-context.ts'
import type { NewAgentRun, RunProgress } from '../../store/ports/run-store.ts'
import type { StoredWait } from '../../store/ports/wait.ts'
import type { ModelAttempt, RunSpan } from '../../store/ports/run-trace.ts'
import type { KnownCalls, PlannedCall } from '../calls/plan-calls.ts'
import type { EventLog } from '../events/event-log.ts'
import type { LiveRun } from '../live-runs.ts'
import { RunWriter } from '../persistence/run-writer.ts'
import { holdsFiles, lastText, answerSources, modelFilesOf, stepsOf, toSteps } from '../run-messages.ts'
import type { RunStartOptions } from '../runs.ts'
import type { RunsContext } from '../runs-options.ts'
import { filesStage } from '../stages/files.ts'
import type { ModelTurn } from './answer.ts'
import type { ModelChain } from './model-chain.ts'
import { noTools, toPromptMessage, type RunTools } from './prompt.ts'
import type { SelfStop, Stage } from './stage.ts'

/** How a run ended. */
export interface RunEnd {
  readonly stop: Exclude<StopReason, 'approval' | 'waiting'> | SelfStop
  readonly error?: RuntimeError
}

/** A call whose agent waits: it is made again when that run has ended. */
export interface SuspendedCall {
  readonly call: PlannedCall
  /** Run that is waited for. */
  readonly runId: string
  readonly waits: readonly Wait[]
}

/** Something that a call waits for, before it is stored. */
export interface OpenedWait extends Pick<
  StoredWait,
  'kind' | 'key' | 'message' | 'schema' | 'args' | 'url' | 'expiresAt'
> {
  /** Absent if the run waits before its next model call. */
  readonly call?: ToolCallPart
  /** Present for a call that was begun: it is made again. */
  readonly planned?: PlannedCall
}

/** What is still open behind a turn's calls. */
export interface OpenCalls {
  /** What calls wait for, such as a person's yes (A20). */
  readonly opens: readonly OpenedWait[]
  readonly suspended: readonly SuspendedCall[]
  /** Entries of the calls that waiting programs have made. @default none */
  readonly kept?: readonly StoredEffect[]
}

/** What a run waits for. */
export type RunPause = OpenCalls

/** Why the turns of a run stopped. */
export type RunStop = RunEnd | RunPause

/** A run as far as the store has it, with a log for what comes next. */
export interface LoadedRun {
  readonly row: NewAgentRun
  readonly log: EventLog
  readonly redact: Redactor
  /** `provider/model-id` */
  readonly model: string
  /** When it was taken up, in milliseconds since the epoch. */
  readonly startedAtMs: number
  readonly progress: RunProgress
  readonly messages: readonly ModelMessage[]
  readonly spans: readonly RunSpan[]
  /** What the ledger has of the calls of the newest answer. */
  readonly effects: readonly StoredEffect[]
  /** Those of them that may have been made. */
  readonly ledger: readonly StoredEffect[]
}

/** How far a run is that has done nothing. */
export const noProgress: RunProgress = {
  turns: 0,
  toolCalls: 0,
  usage: { input_tokens: 0, output_tokens: 0 },
  activeMs: 0,
  tainted: false,
}

/** How far a run is. `activeMs` is what it ran before it was taken up here. */
type Progress = Readonly<Omit<RunProgress, 'lastSeq'>> & {
  readonly warnings: readonly string[]
  readonly asked: readonly string[]
  readonly settled: readonly string[]
}

/** What an agent's run has come to: all that its end is written from. */
export class RunState {
  readonly log: EventLog
  readonly redact: Redactor
  readonly writer: RunWriter
  /** `provider/model-id` of the model that was called last. */
  model: string
  tools: RunTools = noTools
  /** The run as its guards left it. */
  readonly row: NewAgentRun
  readonly progress: Progress
  /** Text of the newest turn; JSON once the run has what its `output_schema` describes. */
  readonly output: string
  /** Calls that have ended. */
  readonly #steps: RunStep[]
  #data: Json | undefined

  /** @param signal ends the repetition of writes that fail. */
  constructor(context: RunsContext, loaded: LoadedRun, signal?: AbortSignal) {
    const { progress, messages, spans, row, log, redact, startedAtMs, model, effects, ledger } = loaded
    this.log = log
    this.redact = redact
    this.model = model
    this.row = row
    const { warnings = [], asked = [], settled = [] } = progress
    this.progress = { ...progress, warnings, asked, settled }
    this.#steps = toSteps(messages, redact)
    this.output = lastText(messages)
    this.writer = new RunWriter({
      context,
      runId: row.id,
      log,
      progress: () => toStored(this.progress, Math.max(0, context.now() - startedAtMs)),
      messages,
      spans,
      announced: effects.flatMap(({ callId, inner }) => (inner && !inner.isTold ? [] : callId)),
      ledger,
      ...(signal && { signal }),
    })
  }

  progressed(change: Partial<Progress>): void {
    Object.assign(this.progress, change)
  }

  /** Puts what the guards left in the place of what came in. */
  admitted(input: CheckedInput): void {
    this.progressed({ input })
    Object.assign(this, { row: { ...this.row, ...input } })
  }

  /** Says that the run has read what a stranger may have made (A20). */
  taint(): void {
    this.progressed({ tainted: true })
  }

  /** Adds what people should know of the run. */
  warn(text: string): void {
    this.progressed({ warnings: [...this.progress.warnings, text] })
  }

  /** @param data what the run's `output_schema` describes */
  answered(output: string, data?: Json): void {
    Object.assign(this, { output })
    this.#data = data
  }

  add(message: ModelMessage): void {
    this.writer.add(message)
  }

  /** Adds the results of calls. */
  addResults(calls: readonly ToolCallPart[], results: readonly ToolResult[]): void {
    this.writer.endCalls()
    if (results.length === 0) return
    for (const result of results) this.#steps.push(...stepsOf(result, calls, this.redact))
    this.add({ role: 'tool', results: results.map((result) => withVia(result, calls)) })
  }

  /** The result of the run, stopped like this. */
  result(end: { readonly stop: StopReason; readonly error?: RuntimeError }): RunResult {
    const { stop, error } = end
    const { turns, toolCalls, usage, warnings } = this.progress
    const { userId, conversationId } = this.row
    const files = modelFilesOf(this.writer.messages).map((file): ResultFile => ({
      ...toFileReference(file),
      url: `/api/files/${file.id}`,
    }))
    // whatever brings one taints the run
    const sources = this.progress.tainted ? answerSources(this.writer.messages) : []
    return {
      success: !error,
      output: this.output,
      ...(this.#data !== undefined && !error && { data: this.#data }),
      ...(error && { error: this.redact.text(error.message), code: error.code }),
      ...(error?.retryable && { retryable: true }),
      turns,
      tool_calls: toolCalls,
      steps: this.#steps,
      usage: { ...usage },
      model: this.model,
      run_id: this.row.id,
      // of a run without a user it is the stored one
      conversation_id: userId === undefined ? conversationId : shownId(conversationId),
      stop_reason: stop,
      ...(files.length > 0 && { files }),
      ...(sources.length > 0 && { sources: sources.map((source) => withoutSecrets(source, this.redact)) }),
      ...(warnings.length > 0 && { warnings: [...warnings] }),
    }
  }
}

/** A page as people see it; passages are stored without secrets. */
const withoutSecrets = (source: AnswerSource, { text }: Redactor): AnswerSource =>
  'url' in source && source.title !== undefined ? { ...source, title: text(source.title) } : source

function toStored({ warnings, asked, settled, ...progress }: Progress, ranMs: number): RunProgress {
  return {
    ...progress,
    activeMs: progress.activeMs + ranMs,
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    ...(asked.length > 0 && { asked }),
    ...(settled.length > 0 && { settled }),
  }
}

/** A result belongs to the tool that the model called. */
function withVia(result: ToolResult, calls: readonly ToolCallPart[]): ToolResult {
  const { via } = calls.find(({ id }) => id === result.id) ?? {}
  return via ? { ...result, via } : result
}

/** A model call under way. */
interface OpenCall {
  readonly startedAtMs: number
  /** The last one has not ended. */
  readonly attempts: ModelAttempt[]
  /** What has come of the answer. */
  turn: ModelTurn | undefined
}

/** What {@link Run} is built from besides the run itself. */
export interface RunOptions {
  readonly context: RunsContext
  readonly agent: Agent
  readonly chain: ModelChain
  readonly own: LiveRun
  readonly runContext: RunContext
  readonly checkOutput?: RunStartOptions['checkOutput'] | undefined
}

/** An agent's run under way in this process. */
export class Run extends RunState {
  readonly context: RunsContext
  readonly agent: Agent
  readonly chain: ModelChain
  /** What this process knows of it. */
  readonly own: LiveRun
  /** What tools and instructions get of the run. */
  readonly runContext: RunContext
  /** What the host checks of an output besides: see `RunStartOptions`. */
  readonly checkOutput: RunStartOptions['checkOutput'] | undefined
  /** Aborts when the run is cancelled or its time is over. */
  readonly signal: AbortSignal
  readonly stages: Stage[] = []
  /** The waits of this turn, if the run continues after them. */
  answers: readonly StoredWait[] = []
  /** Recorded calls of this turn, if the run continues with them. */
  known: KnownCalls | undefined
  /** What the model reads next. */
  readonly prompt: LanguageModelV4Message[] = []
  /** Place of the task in {@link prompt}. */
  taskAt = 0
  open: OpenCall | undefined
  #folder: string | undefined

  constructor(options: RunOptions, loaded: LoadedRun) {
    const { context, agent, chain, own, runContext, checkOutput } = options
    const signal = linkSignals(own.controller.signal)
    super(context, loaded, signal)
    this.context = context
    this.agent = agent
    this.chain = chain
    this.own = own
    this.runContext = runContext
    this.checkOutput = checkOutput
    this.signal = signal
  }

  /** Adds a stage, unless the run has one of that name. */
  use(stage: Stage | undefined, place: 'first' | 'last' = 'last'): void {
    if (!stage || this.stages.some(({ name }) => name === stage.name)) return
    if (place === 'first') this.stages.unshift(stage)
    else this.stages.push(stage)
  }

  /**
   * Adds a message to what the model reads next.
   *
   * @param isEarlier whether it is one of an earlier run
   * @param change gives what is shown of it. @default all
   */
  show(
    message: ModelMessage,
    isEarlier = false,
    change?: (shown: LanguageModelV4Message) => LanguageModelV4Message,
  ): void {
    if (holdsFiles(message)) this.use(filesStage(this.context))
    const shown = toPromptMessage(message, this.tools.wireName, isEarlier)
    this.prompt.push(change ? change(shown) : shown)
  }

  /** Adds a message to the run, and to what the model reads next. */
  override add(message: ModelMessage): void {
    super.add(message)
    this.show(message)
  }

  /** What code of the host gets to know of the run. */
  about() {
    return { ...this.runContext, depth: this.row.depth, tainted: this.progress.tainted }
  }

  /** Gives the agent's folder for the user; undefined when it cannot be used. */
  async workspace(): Promise<string | undefined> {
    if (this.#folder !== undefined) return this.#folder
    const { agentId, userId } = this.row
    const isShared = this.agent.workspace === 'agent'
    try {
      const folder = this.context.workspace(agentId, isShared ? undefined : userId)
      this.#folder = await untilAborted(folder, this.signal)
    } catch (error) {
      if (!this.signal.aborted)
        this.context.logger.error('Opening the workspace of an agent failed', {
          agentId,
          error: String(error),
        })
    }
    return this.#folder
  }
}
