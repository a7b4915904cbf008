import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { RunEvent } from '@homeward/contract/agent-platform'
import { backoffMs, sleep, untilAborted } from '@homeward/kit'
import type { CallMeter } from '../../budgets/create-call-meter.ts'
import { inWords } from '../../models/fit/answer-format.ts'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import { loadPromptFiles, promptFileBytes } from '../../files/load-prompt-files.ts'
import type { ResolvedModel } from '../../models/models.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { LostRun } from '../run-interrupts.ts'
import { nextModel, withSettings, type ModelChain } from './model-chain.ts'
import { offersOnlyFunctions, withHostedTools } from './offered-tools.ts'
import { measureCall } from './measure-call.ts'
import { createModelTurn, readModelTurn, type ModelTurn, type TurnListeners } from './model-turn.ts'
import type { Redactor } from '../../secrets/redact.ts'
import type { RunsContext } from '../runs-options.ts'
import { learnWindow } from '../window/learn-window.ts'
import type { PromptFitter } from '../window/prompt-fitter.ts'
import { tokensOf } from './run-usage.ts'

/** What a model call needs besides the call itself. */
export interface ModelCall extends TurnListeners {
  readonly options: LanguageModelV4CallOptions
  readonly redact: Redactor
  /** Whether the hosted tools of the chain are offered. @default false */
  readonly offersHosted?: boolean
  /** Ends the call, and the pauses between attempts. */
  readonly signal: AbortSignal
  /** Gets the turn that is being read, a new one for each attempt: what it holds outlives a failure. */
  readonly onTurn: (turn: ModelTurn) => void
  /** Is told before each further attempt. @default nobody is */
  readonly onRetry?: (retry: ModelRetry) => void
  /** @default none: what calls cost is not counted */
  readonly meter?: CallMeter | undefined
  /** Fits the call to the context window of each model. @default none: it is sent as it is */
  readonly fitter?: PromptFitter
  /** Whether it is no turn of the agent: see {@link withSettings}. @default false */
  readonly isSideCall?: boolean
}

/** Why a call is made again, and when. */
export type ModelRetry = Extract<RunEvent, { event: 'retry' }>['data']

/** Two million characters are no answer, whatever the limits say. */
const largestAnswer = 2_000_000

/**
 * Makes one model call: again after failures that may pass, then with the fallback models, all of it only until the
 * first token has come (A21). A fallback that answered stays the run's model.
 *
 * @throws {RuntimeError} `model_error` and the like; the signal's reason.
 */
export async function callModel(
  context: RunsContext,
  chain: ModelChain,
  call: ModelCall,
): Promise<ModelTurn> {
  const { signal } = call
  let refits = 0
  for (let failures = 1; ; failures += 1) {
    const turn = createModelTurn()
    call.onTurn(turn)
    const { fitted, problem } = await fit(chain, call)
    const given = withSettings(chain, fitted, call.isSideCall ?? false)
    const settled = chain.schemaless === chain.current.name ? inWords(given) : given
    const { options: asked, warnings } = call.offersHosted
      ? withHostedTools(chain, settled)
      : { options: settled, warnings: [] }
    const offered = withoutUnusableTools(chain, asked)
    const options = call.meter && !problem ? await metered(call.meter, chain, offered) : offered
    try {
      signal.throwIfAborted()
      if (problem) throw problem
      await measureCall(context, chain, () => readAnswer(context, chain.current, call, options, turn))
      turn.warnings = [...turn.warnings, ...warnings, ...(offered === asked ? [] : [noTools])]
    } catch (error) {
      await endMeter(context, call, turn, error)
      if (signal.aborted) throw signal.reason
      const { refusesSchema, refusesTools, toModelFailure } = await import('./model-failure.ts')
      const { name } = chain.current
      const overflow = turn.hasBegun ? undefined : await learnWindow(context, name, call, options, error)
      if (overflow?.isShorter && refits < maxRefits) {
        refits += 1
        failures -= 1
        call.onRetry?.({
          model: name,
          reason: 'the prompt was too long for the model and was shortened',
          in_ms: 0,
        })
        continue
      }
      const cause = overflow?.problem ?? error
      const { answeredJson, hasBegun } = turn
      const { redact } = call
      const failed = { name, redact, nowMs: context.now(), answeredJson, hasBegun }
      const failure = toModelFailure(cause, failed)
      if (turn.hasBegun) throw failure.error
      if (offersOnlyFunctions(options) && refusesTools(cause)) {
        chain.toolless = name
        failures -= 1
        call.onRetry?.({ model: name, reason: 'the model does not support tools', in_ms: 0 })
        continue
      }
      if (options.responseFormat && refusesSchema(cause)) {
        chain.schemaless = name
        failures -= 1
        call.onRetry?.({ model: name, reason: 'the provider rejected the schema of the answer', in_ms: 0 })
        continue
      }
      const waitMs = failure.retryable ? retryWait(context, failures, failure.retryAfterMs) : undefined
      const retry = waitMs === undefined ? {} : { retryInMs: waitMs }
      context.logger.warn(failure.error.message, { attempt: failures, ...retry })
      if (waitMs === undefined) {
        if (!(await nextModel(context, chain, call.options.prompt, signal))) throw failure.error
        failures = 0
        refits = 0
      }
      call.onRetry?.({ model: chain.current.name, reason: failure.reason, in_ms: waitMs ?? 0 })
      if (waitMs !== undefined) await sleep(waitMs, signal)
      signal.throwIfAborted()
      continue
    }
    await endMeter(context, call, turn)
    return turn
  }
}

/** Prompts are shortened so often at most for one model: a rejection that tells no number may need several tries. */
const maxRefits = 12

/** The call as it fits into the model's context window, or why it cannot. */
async function fit(
  { current }: ModelChain,
  { fitter, options }: ModelCall,
): Promise<{ readonly fitted: LanguageModelV4CallOptions; readonly problem?: RuntimeError }> {
  try {
    return { fitted: fitter ? await fitter.fit(current.name, options) : options }
  } catch (error) {
    if (RuntimeError.is(error)) return { fitted: options, problem: error }
    throw error
  }
}

async function readAnswer(
  context: RunsContext,
  { model, name }: ResolvedModel,
  call: ModelCall,
  options: LanguageModelV4CallOptions,
  turn: ModelTurn,
): Promise<void> {
  const { signal } = call
  const asked = ask(context, model, options, signal, context.fileLimits.get(name))
  const { stream, headers } = await untilAborted(asked, signal, () => dropLate(asked))
  turn.answeredJson = isJson(headers)
  await readModelTurn(stream, turn, largestAnswerOf(options.maxOutputTokens), call, signal)
  assertNotWithheld(turn, name)
}

/** Sends a call with the bytes of its files. While the answer is read, nothing holds them, nor the request. */
async function ask(
  context: RunsContext,
  model: ResolvedModel['model'],
  options: LanguageModelV4CallOptions,
  signal: AbortSignal,
  maxFileBytes: number | undefined,
) {
  const { own, earlier } = promptFileBytes(options.prompt, maxFileBytes)
  const leave = own + earlier > 0 ? await context.fileGate.enter(own + earlier, signal) : undefined
  try {
    const load = () => loadPromptFiles(context.store, options.prompt, signal, maxFileBytes)
    const prompt = await whileStoreFails(context, load, signal)
    const { stream, response } = await model.doStream({ ...options, prompt })
    return { stream, headers: response?.headers }
  } finally {
    leave?.()
  }
}

/** Said in the warnings of a run whose model cannot call tools. */
const noTools = 'The model does not support tools. It was called without them.'

/** The options without tools, for a model that refused them: it is told in words what was called before. */
function withoutUnusableTools(
  chain: ModelChain,
  options: LanguageModelV4CallOptions,
): LanguageModelV4CallOptions {
  if (!options.tools || chain.toolless !== chain.current.name) return options
  const { ...others } = options
  delete others.tools
  delete others.toolChoice
  return others
}

/** Whether a body that is no stream came where one was asked for. */
const isJson = (headers: Readonly<Record<string, string>> | undefined) =>
  /^application\/(?:[\w.-]+\+)?json\b/i.test(headers?.['content-type'] ?? '')

async function metered(
  meter: CallMeter,
  { current }: ModelChain,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4CallOptions> {
  return { ...options, maxOutputTokens: await meter.begin(current.name, options) }
}

/** Says what a call has cost. Of a run that another process has, nothing is written any more. */
async function endMeter(
  context: RunsContext,
  { meter, signal }: ModelCall,
  turn: ModelTurn,
  cause?: unknown,
): Promise<void> {
  if (!meter || signal.reason instanceof LostRun) return
  // A provider that answered with an error did not do the work.
  const isFree = cause !== undefined && !turn.hasBegun && !turn.usage && hasStatus(cause)
  await meter.end(isFree ? { input: 0, output: 0 } : tokensOf(context, turn))
}

const hasStatus = (cause: unknown) =>
  typeof cause === 'object' && cause !== null && typeof Reflect.get(cause, 'statusCode') === 'number'

/** Ends a stream that comes when nobody waits for it any more. */
function dropLate(asked: Promise<{ readonly stream: ReadableStream }>): void {
  asked.then(({ stream }) => stream.cancel()).catch(() => {})
}

function assertNotWithheld({ finish, hasBegun }: ModelTurn, name: string): void {
  if (finish !== 'content-filter' || hasBegun) return
  throw new RuntimeError('model_error', `Calling the model ${name} failed: the provider blocked the response`)
}

/** A token rarely has more than eight characters: a provider that sends more than that does not heed the limit. */
const largestAnswerOf = (maxOutputTokens: number | undefined) =>
  maxOutputTokens === undefined ? largestAnswer : Math.min(largestAnswer, maxOutputTokens * 8 + 64)

/** Milliseconds until the next attempt; undefined when there is none. */
function retryWait(
  { retry, random }: RunsContext,
  failures: number,
  retryAfterMs: number | undefined,
): number | undefined {
  const { attempts, baseMs, maxMs } = retry
  if (failures > attempts || (retryAfterMs ?? 0) > maxMs) return undefined
  return Math.ceil(backoffMs({ failures, retryAfterMs, baseMs, capMs: maxMs, spread: [0.5, 1], random }))
}
