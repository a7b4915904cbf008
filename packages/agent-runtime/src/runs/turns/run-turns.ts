import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { RunEvent, StopReason } from '@homeward/contract/agent-platform'
import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { AssistantPart, ToolCallPart } from '../../ports/message.ts'
import type { RuntimeError } from '../../ports/runtime-error.ts'
import { addMessage, setAsked, type ActiveRun } from '../active-run.ts'
import { createHeldAnswer } from '../guards/held-answer.ts'
import { guardTurn } from '../guards/guard-turn.ts'
import { isGuarded } from '../../ports/guard-errors.ts'
import { noteSource } from './note-source.ts'
import { callModel, type ModelCall } from './call-model.ts'
import type { ArgumentChecks } from '../calls/check-arguments.ts'
import { turnText, type ModelTurn } from './model-turn.ts'
import { isGivenUp, runGoesOn } from '../run-interrupts.ts'
import { isCorrection } from '../run-messages.ts'
import { tellHosted } from '../calls/tell-hosted.ts'
import { refuseCalls } from '../calls/call-results.ts'
import { runCalls, type OpenCalls } from '../calls/run-calls.ts'
import { keepModelFile } from './keep-model-file.ts'
import { noteWarnings } from './model-warnings.ts'
import { cacheOptionsOf } from './prompt-cache.ts'
import { addUsage, tokensLeft } from './run-usage.ts'
import type { RunsContext } from '../runs-options.ts'
import { withToolId } from './with-tool-id.ts'
import { settleOutput, type OutputStop } from './settle-output.ts'
import { userMessage } from './to-prompt.ts'
import { beginAttempts, nextAttempt } from '../trace/model-spans.ts'

/** How a run ended. */
export interface RunEnd {
  readonly stop: Exclude<StopReason, 'approval'>
  readonly error?: RuntimeError
}

/** What a run waits for. */
export interface RunPause extends OpenCalls {
  readonly stop: 'approval'
}

/** Why the turns of a run stopped. */
export type RunStop = RunEnd | RunPause

const allUsed = 'You have used all the turns of this task and cannot call tools anymore. '
const sumUpTask = `${allUsed}Answer now with what you have: sum up what was found and done, and what is still open.`
const answerTask = `${allUsed}Answer now with what you have, as JSON that matches the required schema.`

/** After so many turns others have theirs, also when neither model nor tools ever wait for anything. */
const turnsAtOnce = 25

/**
 * Model, tools, model, until the model answers without a call or a limit is reached. Each turn that goes on is kept
 * in one write before the next begins.
 *
 * @throws {RuntimeError} what the run failed with; the signal's reason.
 */
export async function runTurns(
  context: RunsContext,
  checks: ArgumentChecks,
  run: ActiveRun,
): Promise<RunStop> {
  const maxTurns = run.run.limits.max_turns ?? 10
  for (;;) {
    const corrected = run.writer.messages.at(-1)
    const before = isCorrection(corrected) ? corrected.corrects : undefined
    const isOver = run.turns >= maxTurns
    if (isSpent(run)) return endSpent(checks, run)
    let stop: OutputStop | undefined
    if (isOver && before !== 'done' && before !== 'max_tokens') stop = await sumUp(context, checks, run)
    else {
      const tools = isOver ? [] : run.tools.offered
      const answer = await takeTurn(context, run, toOptions(run, run.prompt.slice(), tools), !isOver)
      const turn = await guardTurn(context, checks, run, isOver ? withoutCalls(answer) : answer)
      // A correction is no turn of its own: it takes none away from the task.
      if (before === undefined) run.turns += 1
      const calls = addAnswer(run, turn)
      if (turn.finish === 'length' || (calls.length > 0 && isSpent(run))) {
        refuseCalls(run, calls, 'Not called: the token limit of the run was reached')
        stop = 'max_tokens'
      } else if (calls.length === 0 && turn.isPaused) run.writer.flushSoon()
      else if (calls.length === 0) stop = 'done'
      else {
        const end = endCalls(run, await runCalls(context, checks, run, calls))
        if (end) return end
      }
    }
    const end = stop && (await settleOutput(checks, run, stop, !isSpent(run)))
    if (end) return end
    if (run.turns % turnsAtOnce === 0) await yieldToEventLoop()
  }
}

/** Ends a run without tokens for another call. */
const endSpent = async (checks: ArgumentChecks, run: ActiveRun): Promise<RunStop> =>
  (await settleOutput(checks, run, 'max_tokens', false)) ?? { stop: 'max_tokens' }

/**
 * Keeps what came of the calls of a turn.
 *
 * @returns what the run waits for; undefined when it goes on.
 */
export function endCalls(run: ActiveRun, { waiting, suspended }: OpenCalls): RunPause | undefined {
  // What is done is kept also when the run is given back: it must not be done again.
  if (run.signal.aborted && !isGivenUp(run.signal.reason)) throw run.signal.reason
  if (waiting.length > 0 || suspended.length > 0) return { stop: 'approval', waiting, suspended }
  setAsked(run, [])
  run.writer.flushSoon()
  run.signal.throwIfAborted()
  if (run.own.isLeaving) throw runGoesOn()
  return undefined
}

const isSpent = (run: ActiveRun) => (tokensLeft(run) ?? 1) <= 0

/**
 * One last call without tools (A4). What the model fails with here does not undo what was done, unless the run needs an output of
 * a certain form.
 */
async function sumUp(context: RunsContext, checks: ArgumentChecks, run: ActiveRun): Promise<OutputStop> {
  const { outputSchema } = run.run
  const prompt = [...run.prompt, userMessage(outputSchema ? answerTask : sumUpTask)]
  try {
    const turn = withoutCalls(await takeTurn(context, run, toOptions(run, prompt, [])))
    addAnswer(run, await guardTurn(context, checks, run, turn))
  } catch (error) {
    run.signal.throwIfAborted()
    if (outputSchema || isGuarded(error)) throw error
    context.logger.warn('The last call of a run failed', { runId: run.run.id, error: String(error) })
    keepPartialTurn(context, run, error)
  }
  if (!run.output && !outputSchema) {
    run.output = `Stopped after ${run.turns} turns without an answer.`
    run.log.push({ event: 'assistant', data: { delta: run.output } })
    addAnswer(run, { parts: [{ type: 'text', text: run.output }] })
  }
  return 'max_turns'
}

/** What a model calls that was offered no tools. */
const withoutCalls = (turn: ModelTurn): ModelTurn => ({
  ...turn,
  parts: turn.parts.filter((part) => !isCall(part)),
})

function toOptions(
  run: ActiveRun,
  prompt: LanguageModelV4CallOptions['prompt'],
  tools: NonNullable<LanguageModelV4CallOptions['tools']>,
): LanguageModelV4CallOptions {
  const maxOutputTokens = tokensLeft(run)
  const providerOptions = cacheOptionsOf(run)
  const { outputSchema: schema } = run.run
  const options: LanguageModelV4CallOptions = {
    prompt,
    abortSignal: run.signal,
    ...(providerOptions && { providerOptions }),
    ...(schema && { responseFormat: { type: 'json', name: 'output', schema } }),
  }
  if (tools.length > 0) {
    options.tools = tools
    options.toolChoice = { type: 'auto' }
  }
  if (maxOutputTokens !== undefined) options.maxOutputTokens = maxOutputTokens
  return options
}

function beginTurn(context: RunsContext, run: ActiveRun, options: LanguageModelV4CallOptions): ModelCall {
  run.turnStartedAtMs = context.now()
  beginAttempts(run, context.timestamp())
  const push = (event: RunEvent) => run.log.push(event)
  const held = context.guards.output && createHeldAnswer(push)
  run.held = held
  const announce = held?.add ?? push
  return {
    options,
    redact: run.redact,
    signal: run.signal,
    onDelta(delta, type) {
      if (type === 'text') return announce({ event: 'assistant', data: { delta } })
      if (held) return // no guard sees the reasoning
      context.reasoning.add(run.run.id, run.log.lastSeq, run.redact.text(delta))
      run.log.wake()
    },
    onSource: (source) => noteSource(run, source, announce),
    onFile: (file) => keepModelFile(context, run, file, announce),
    onHosted: (part) => tellHosted(context, run, part, announce),
    onTurn: (started) => (run.turn = started),
    onRetry(retry) {
      nextAttempt(run, retry, context.now())
      run.log.push({ event: 'retry', data: retry })
    },
    meter: run.meter,
    fitter: run.fitter,
  }
}

/** Makes a model call of the run, and counts what it has used. @returns its answer, with the ids of the tools that it calls */
async function takeTurn(
  context: RunsContext,
  run: ActiveRun,
  options: LanguageModelV4CallOptions,
  offersHosted = false,
): Promise<ModelTurn> {
  const answer = await callModel(context, run.chain, { ...beginTurn(context, run, options), offersHosted })
  const turn = { ...answer, parts: answer.parts.map((part) => withToolId(run.tools, part)) }
  run.turn = undefined
  run.model = run.chain.current.name
  noteWarnings(context, run, turn)
  addUsage(context, run, {
    turn,
    prompt: run.fitter.prompt() ?? run.prompt,
    startedAtMs: run.turnStartedAtMs,
  })
  return turn
}

/** Adds a model's answer to the run. @returns its calls */
function addAnswer(run: ActiveRun, turn: Pick<ModelTurn, 'parts'>): readonly ToolCallPart[] {
  const parts = turn.parts.filter(saysSomething)
  run.output = turnText({ parts })
  if (parts.length === 0) return []
  addMessage(run, { role: 'assistant', parts })
  return parts.filter(isCall)
}

const isCall = (part: AssistantPart): part is ToolCallPart => part.type === 'tool_call'
/** Blank text is not kept: no provider needs it back, and some refuse it. Data of the provider may belong to it. */
const saysSomething = (part: AssistantPart) =>
  !('text' in part) || part.text.trim() !== '' || part.provider_data !== undefined

/** Keeps the text of an answer that broke off, and what it has used. Its calls were not made and are dropped. */
export function keepPartialTurn(context: RunsContext, run: ActiveRun, cause: unknown): void {
  const { turn } = run
  run.turn = undefined
  if (!turn) return
  addUsage(context, run, {
    turn,
    prompt: run.fitter.prompt() ?? run.prompt,
    startedAtMs: run.turnStartedAtMs,
    wasStopped: true,
    error: run.redact.text(cause instanceof Error ? cause.message : String(cause)),
  })
  if (run.held) return // no guard has seen it
  const text = turnText(turn)
  const others = turn.parts.filter(({ type }) => type === 'source' || type === 'file')
  const hasFiles = others.some(({ type }) => type === 'file')
  if (text || hasFiles) addAnswer(run, { parts: [{ type: 'text', text }, ...others] })
}
