import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { RunEvent } from '@homeward/contract/agent-platform'
import { sleep, untilAborted } from '@homeward/kit'
import { rulesOf } from '../../models/fit/wire-rules.ts'
import type { ResolvedModel } from '../../models/models.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { Redactor } from '../../secrets/redact.ts'
import { LostRun } from '../run-interrupts.ts'
import type { RunsContext } from '../runs-options.ts'
import type { PromptFitter } from '../window/prompt-fitter.ts'
import { createModelTurn, readModelTurn, type ModelTurn, type TurnListener } from './answer.ts'
import { withSettings, type ModelChain } from './model-chain.ts'
import type { Attempt, Send, Stage } from './stage.ts'

/** What a model call needs besides the call itself. */
export interface ModelCall {
  readonly options: LanguageModelV4CallOptions
  /** Whether the tools of the run are offered. @default false */
  readonly offersTools?: boolean
  readonly redact: Redactor
  /** Ends the call, and the pauses between attempts. */
  readonly signal: AbortSignal
  /** Those that change attempts, admit or send them. @default none */
  readonly stages?: readonly Stage[]
  /** Hears of the answer as it comes. @default nobody does */
  readonly listener?: TurnListener
  /** Gets the turn that is being read, a new one for each attempt: what it holds outlives a failure. @default nobody does */
  readonly onTurn?: (turn: ModelTurn) => void
  /** Is told before each further attempt. @default nobody is */
  readonly onRetry?: (retry: ModelRetry) => void
  /** Makes the call shorter once a model has rejected it as too long. @default none: then the call fails */
  readonly fitter?: () => PromptFitter
  /**
   * Finds out what the provider refuses of a call, once nothing else helps. @returns the error that says it
   * @default nobody does
   */
  readonly findRefused?: (refusal: RuntimeError) => Promise<RuntimeError | undefined>
  /** Whether only the first attempt counts. @default false */
  readonly isProbe?: boolean
  /** Whether it is no turn of the agent: see {@link withSettings}. @default false */
  readonly isSideCall?: boolean
}

/** Why a call is made again, and when. */
export type ModelRetry = Extract<RunEvent, { event: 'retry' }>['data']

/** Two million characters are no answer, whatever the limits say. */
const largestAnswer = 2_000_000

const noStages: readonly Stage[] = []
const noListener: TurnListener = { onDelta() {} }

/**
 * Makes one model call. What fails before the first token has come is rescued if it can be (A21): see `rescues.ts`. A fallback
 * that answered stays the run's model.
 *
 * @throws {RuntimeError} `model_error` and the like; the signal's reason.
 */
export async function callModel(
  context: RunsContext,
  chain: ModelChain,
  call: ModelCall,
): Promise<ModelTurn> {
  const { signal, stages = noStages } = call
  const tries = { failures: 0, refits: 0 }
  for (;;) {
    const turn = createModelTurn(rulesOf(chain.current.model)?.roundsIntegers)
    call.onTurn?.(turn)
    const attempt = await fit(chain, call, turn)
    let { options } = attempt
    if (!attempt.problem)
      for (const stage of stages) if (stage.admit) options = await stage.admit(options, chain.current.name)
    try {
      signal.throwIfAborted()
      if (attempt.problem) throw attempt.problem
      await measured(context, chain, () => readAnswer(chain.current, call, options, turn))
      if (attempt.warnings.length > 0) turn.warnings = [...turn.warnings, ...attempt.warnings]
    } catch (cause) {
      await tellEnd(call, turn, cause)
      if (signal.aborted) throw signal.reason
      const { rescue } = await import('./rescues.ts')
      const again = await rescue({ context, chain, call, turn, sent: options, tries, cause })
      call.onRetry?.({ model: chain.current.name, reason: again.reason, in_ms: again.waitMs ?? 0 })
      if (again.waitMs !== undefined) await sleep(again.waitMs, signal)
      signal.throwIfAborted()
      continue
    }
    await tellEnd(call, turn)
    return turn
  }
}

/** The call as the current model gets it, or why it cannot. */
async function fit(chain: ModelChain, call: ModelCall, turn: ModelTurn) {
  const { stages = noStages, offersTools = false } = call
  const attempt: Attempt = { chain, offersTools, warnings: [] }
  const { warnings } = attempt
  let options = withSettings(chain, call.options, call.isSideCall ?? false)
  try {
    for (const stage of stages) if (stage.fit) options = await stage.fit(options, attempt)
  } catch (error) {
    if (RuntimeError.is(error)) return { options, warnings, problem: error }
    throw error
  }
  turn.prompt = options.prompt
  for (const { model, apply, warning } of chain.changes) {
    const changed = model === chain.current.name ? apply(options) : options
    if (changed !== options && warning !== undefined) warnings.push(warning)
    options = changed
  }
  return { options, warnings }
}

/** Reports how long an attempt took and how it ended, if somebody wants to know. */
async function measured(
  context: RunsContext,
  { agentId, current }: ModelChain,
  attempt: () => Promise<void>,
): Promise<void> {
  const { onModelCall, now } = context
  if (!onModelCall) return attempt()
  const startedAtMs = now()
  const end = (error?: { readonly errorType: string }) =>
    onModelCall({ agentId, model: current.name, durationMs: Math.max(0, now() - startedAtMs), ...error })
  try {
    await attempt()
  } catch (error) {
    const { errorTypeOf } = await import('./model-failure.ts')
    end({ errorType: errorTypeOf(error) })
    throw error
  }
  end()
}

/** Says how a call ended. Of a run that another process has, nothing is written any more. */
async function tellEnd(
  { stages = noStages, signal }: ModelCall,
  turn: ModelTurn,
  cause?: unknown,
): Promise<void> {
  if (signal.reason instanceof LostRun) return
  for (const stage of stages) if (stage.ended) await stage.ended(turn, cause)
}

async function readAnswer(
  { model, name }: ResolvedModel,
  call: ModelCall,
  options: LanguageModelV4CallOptions,
  turn: ModelTurn,
): Promise<void> {
  const { signal, stages = noStages, listener = noListener } = call
  let send: Send = (sent) => model.doStream(sent)
  for (const stage of stages) {
    if (!stage.send) continue
    const next = send
    send = (sent) => stage.send?.(sent, name, next) ?? next(sent)
  }
  const asked = Promise.resolve(send(options))
  const { stream, response } = await untilAborted(asked, signal, () => dropLate(asked))
  turn.answeredJson = isJson(response?.headers)
  await readModelTurn(stream, turn, largestAnswerOf(options.maxOutputTokens), listener, signal)
  assertNotWithheld(turn, name)
}

/** Whether a body that is no stream came where one was asked for. */
function isJson(headers: Readonly<Record<string, string>> | undefined): boolean {
  const type = headers?.['content-type']
  return type !== undefined && /^application\/(?:[\w.-]+\+)?json\b/i.test(type)
}

/** Ends a stream that comes when nobody waits for it any more. */
function dropLate(asked: Promise<{ readonly stream: ReadableStream }>): void {
  asked.then(({ stream }) => stream.cancel()).catch(() => {})
}

function assertNotWithheld({ finish, hasBegun }: ModelTurn, name: string): void {
  if (finish !== 'content-filter' || hasBegun) return
  throw new RuntimeError(
    'model_error',
    `Calling the model ${name} failed: the provider blocked the response. Change the task, or use another model.`,
  )
}

/** A token rarely has more than eight characters: a provider that sends more than that does not heed the limit. */
const largestAnswerOf = (maxOutputTokens: number | undefined) =>
  maxOutputTokens === undefined ? largestAnswer : Math.min(largestAnswer, maxOutputTokens * 8 + 64)
