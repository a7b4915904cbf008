import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { AssistantPart, ToolCallPart } from '../../ports/message.ts'
import { refuseCalls } from '../calls/call-events.ts'
import { runCalls } from '../calls/make-calls.ts'
import { isGivenUp, runGoesOn } from '../run-interrupts.ts'
import { turnText, type ModelTurn } from './answer.ts'
import { askModel, countPartial } from './ask-model.ts'
import { userMessage } from './prompt.ts'
import type { OpenCalls, Run, RunEnd, RunPause, RunStop } from './run.ts'
import type { NextTurn, SelfStop, Stopping, SumUp } from './stage.ts'

const sumUp: SumUp = {
  task:
    'You have used all the turns of this task and cannot call tools anymore. Answer now with what you have: ' +
    'sum up what was found and done, and what is still open.',
  isOptional: true,
}

/** After so many turns others have theirs, also when neither model nor tools ever wait for anything. */
const turnsAtOnce = 25

/**
 * Model, tools, model, until the model answers without a call or a limit is reached. Each turn that goes on is kept
 * in one write before the next begins. Everything else is a {@link Stage} of the run.
 *
 * @throws {RuntimeError} what the run failed with; the signal's reason.
 */
export async function runTurns(run: Run): Promise<RunStop> {
  const maxTurns = run.row.limits.max_turns ?? 10
  for (;;) {
    const isOver = run.progress.turns >= maxTurns
    const next: NextTurn = {
      counts: true,
      offersTools: !isOver,
      sumUp: isOver ? sumUp : undefined,
      stop: undefined,
    }
    for (const stage of run.stages) if (stage.turn) await stage.turn(next)
    const outcome =
      next.stop ??
      next.pause ??
      (next.sumUp ? await takeLastTurn(run, next.sumUp) : await takeTurn(run, next))
    const end = typeof outcome === 'string' ? await stopFor(run, outcome) : outcome
    if (end) return end
    if (run.progress.turns % turnsAtOnce === 0) await yieldToEventLoop()
  }
}

/** @returns why the run stops, or what it waits for; undefined when it goes on */
async function takeTurn(run: Run, next: NextTurn): Promise<SelfStop | RunPause | undefined> {
  const options = toOptions(run, run.prompt.slice(), next.offersTools)
  const answer = await askModel(run, options, next.offersTools)
  const turn = await settle(run, next.offersTools ? answer : withoutCalls(answer))
  if (next.counts) run.progressed({ turns: run.progress.turns + 1 })
  const calls = addAnswer(run, turn.parts)
  if (turn.finish === 'length') {
    refuseCalls(run, calls, 'Not called: the token limit of the run was reached')
    return 'max_tokens'
  }
  if (calls.length > 0) return endCalls(run, await runCalls(run, calls))
  if (!turn.isPaused) return 'done'
  run.writer.flushSoon()
  return undefined
}

/** One last call without tools (A4). What the model fails with here does not undo what was done. */
async function takeLastTurn(run: Run, { task, isOptional }: SumUp): Promise<SelfStop> {
  const { context } = run
  const options = toOptions(run, [...run.prompt, userMessage(task)], false)
  const answer = await askModel(run, options, false).catch((error: unknown) => {
    run.signal.throwIfAborted()
    if (!isOptional) throw error
    context.logger.warn('The last call of a run failed', { runId: run.row.id, error: String(error) })
    keepPartialTurn(run, error)
  })
  if (answer) addAnswer(run, (await settle(run, withoutCalls(answer))).parts)
  if (!run.output && isOptional) {
    const text = `Stopped after ${run.progress.turns} turns without an answer.`
    run.log.push({ event: 'assistant', data: { delta: text } })
    addAnswer(run, [{ type: 'text', text }])
  }
  return 'max_turns'
}

function toOptions(run: Run, prompt: LanguageModelV4CallOptions['prompt'], offersTools: boolean) {
  let options: LanguageModelV4CallOptions = { prompt, abortSignal: run.signal }
  const { offered } = run.tools
  if (offersTools && offered.length > 0) {
    options.tools = offered
    options.toolChoice = { type: 'auto' }
  }
  for (const stage of run.stages) if (stage.prompt) options = stage.prompt(options)
  return options
}

async function settle(run: Run, answer: ModelTurn): Promise<ModelTurn> {
  let turn = answer
  for (const stage of run.stages) if (stage.answer) turn = await stage.answer(turn)
  return turn
}

/** @returns how the run ends; undefined when it takes another turn */
async function stopFor(run: Run, stop: SelfStop): Promise<RunEnd | undefined> {
  const stopping: Stopping = { stop, error: undefined, canGoOn: true, goesOn: false }
  for (const stage of run.stages) if (stage.end) await stage.end(stopping)
  if (stopping.goesOn) return undefined
  return stopping.error ? { stop: stopping.stop, error: stopping.error } : { stop: stopping.stop }
}

/**
 * Keeps what came of the calls of a turn.
 *
 * @returns what the run waits for; undefined when it goes on.
 */
export function endCalls(run: Run, left: OpenCalls): RunPause | undefined {
  // What is done is kept also when the run is given back: it must not be done again.
  if (run.signal.aborted && !isGivenUp(run.signal.reason)) throw run.signal.reason
  if (left.opens.length > 0 || left.suspended.length > 0) return left
  if (run.progress.asked.length > 0) run.progressed({ asked: [], settled: [] })
  run.answers = [] // providers give the same id to calls of different turns
  run.known = undefined
  run.writer.flushSoon()
  run.signal.throwIfAborted()
  if (run.own.isLeaving) throw runGoesOn()
  return undefined
}

/** What a model calls that was offered no tools. */
const withoutCalls = (turn: ModelTurn): ModelTurn => ({
  ...turn,
  parts: turn.parts.filter((part) => !isCall(part)),
})

/** Adds a model's answer to the run. @returns its calls */
function addAnswer(run: Run, all: readonly AssistantPart[]): readonly ToolCallPart[] {
  const parts = all.filter(saysSomething)
  run.answered(turnText({ parts }))
  if (parts.length === 0) return []
  run.add({ role: 'assistant', parts })
  return parts.filter(isCall)
}

const isCall = (part: AssistantPart): part is ToolCallPart => part.type === 'tool_call'
/** Blank text is not kept: no provider needs it back, and some refuse it. Data of the provider may belong to it. */
const saysSomething = (part: AssistantPart) =>
  !('text' in part) || part.text.trim() !== '' || part.provider_data !== undefined

/** Keeps the text of an answer that broke off, and what it has used. Its calls were not made and are dropped. */
export function keepPartialTurn(run: Run, cause: unknown): void {
  const turn = countPartial(run, cause)
  if (!turn || run.stages.some(({ listen }) => listen)) return // what no stage has seen is not kept
  const text = turnText(turn)
  const others = turn.parts.filter(({ type }) => type === 'source' || type === 'file')
  if (text || others.some(({ type }) => type === 'file')) addAnswer(run, [{ type: 'text', text }, ...others])
}
