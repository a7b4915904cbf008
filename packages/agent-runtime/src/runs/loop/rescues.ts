import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { backoffMs } from '@homeward/kit'
import { inWords } from '../../models/fit/answer-format.ts'
import type { RunsContext } from '../runs-options.ts'
import { offersOnlyFunctions } from '../stages/hosted-tools.ts'
import { learnWindow } from '../window/learn-window.ts'
import type { ModelTurn } from './answer.ts'
import type { ModelCall } from './call.ts'
import { nextModel, type ModelChain } from './model-chain.ts'
import { refusesContent, refusesSchema, refusesTools, toModelFailure } from './model-failure.ts'

/** An attempt at a model call that failed. */
export interface FailedAttempt {
  readonly context: RunsContext
  readonly chain: ModelChain
  readonly call: ModelCall
  readonly turn: ModelTurn
  /** The call as it was sent. */
  readonly sent: LanguageModelV4CallOptions
  /** Counted for the current model. */
  readonly tries: { failures: number; refits: number }
  /** A rescue that knows better may replace it. */
  cause: unknown
}

/** How a call is made again. */
export interface Again {
  readonly reason: string
  /** Pause before it. @default none */
  readonly waitMs?: number
}

type Rescue = (failed: FailedAttempt) => Again | undefined | Promise<Again | undefined>

/** The first one that knows what to do does it. */
const rescues: readonly Rescue[] = [shorten, withoutTools, withoutSchema, retry, tryNextModel, nameRefused]

/**
 * Finds out how a call that failed is made again.
 *
 * @throws {RuntimeError} what the call fails with when nothing helps, or a part of the answer had come.
 */
export async function rescue(failed: FailedAttempt): Promise<Again> {
  if (!failed.turn.hasBegun) {
    for (const each of failed.call.isProbe ? [nameRefused] : rescues) {
      const again = await each(failed)
      if (again) return again
    }
  }
  throw failureOf(failed).error
}

function failureOf({ context, chain, call, turn, cause }: FailedAttempt) {
  const { answeredJson, hasBegun } = turn
  const { redact } = call
  return toModelFailure(cause, {
    name: chain.current.name,
    redact,
    nowMs: context.now(),
    answeredJson,
    hasBegun,
  })
}

/** Prompts are shortened so often at most for one model: a rejection that tells no number may need several tries. */
const maxRefits = 12

async function shorten(failed: FailedAttempt): Promise<Again | undefined> {
  const { context, chain, call, sent, tries } = failed
  const overflow = await learnWindow(context, chain.current.name, call, sent, failed.cause)
  if (overflow?.isShorter && tries.refits < maxRefits) {
    tries.refits += 1
    return { reason: 'the prompt was too long for the model and was shortened' }
  }
  if (overflow?.problem) failed.cause = overflow.problem
  return undefined
}

function withoutTools({ chain, sent, cause }: FailedAttempt): Again | undefined {
  if (!offersOnlyFunctions(sent) || !refusesTools(cause)) return undefined
  chain.changes.push({
    model: chain.current.name,
    apply: dropTools,
    warning: 'The model does not support tools. It was called without them.',
  })
  return { reason: 'the model does not support tools' }
}

/** The model is told in words what was called before. */
function dropTools(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  if (!options.tools) return options
  const { tools: _tools, toolChoice: _choice, ...others } = options
  return others
}

function withoutSchema({ chain, sent, cause }: FailedAttempt): Again | undefined {
  if (!sent.responseFormat || !refusesSchema(cause)) return undefined
  chain.changes.push({ model: chain.current.name, apply: inWords })
  return { reason: 'the provider rejected the schema of the answer' }
}

function retry(failed: FailedAttempt): Again | undefined {
  const { context, tries } = failed
  const { error, reason, retryable, retryAfterMs, networkCause } = failureOf(failed)
  tries.failures += 1
  const waitMs = retryable ? retryWait(context, tries.failures, retryAfterMs) : undefined
  const told = waitMs === undefined ? {} : { retryInMs: waitMs }
  const cause = networkCause === undefined ? {} : { networkCause }
  context.logger.warn(error.message, { attempt: tries.failures, ...told, ...cause })
  return waitMs === undefined ? undefined : { reason, waitMs }
}

/** Milliseconds until the next attempt; undefined when there is none. */
function retryWait(
  { retry: { attempts, baseMs, maxMs }, random }: RunsContext,
  failures: number,
  retryAfterMs: number | undefined,
): number | undefined {
  if (failures > attempts || (retryAfterMs ?? 0) > maxMs) return undefined
  return Math.ceil(backoffMs({ failures, retryAfterMs, baseMs, capMs: maxMs, spread: [0.5, 1], random }))
}

async function tryNextModel(failed: FailedAttempt): Promise<Again | undefined> {
  const { context, chain, call, tries } = failed
  const { reason } = failureOf(failed)
  if (!(await nextModel(context, chain, call.options.prompt, call.signal))) return undefined
  tries.failures = 0
  tries.refits = 0
  return { reason }
}

/** Nothing helps: the error is to say at least what the provider refuses. */
async function nameRefused(failed: FailedAttempt): Promise<undefined> {
  const { call, turn, cause } = failed
  if (!call.findRefused || !(turn.finish === 'content-filter' || refusesContent(cause))) return
  failed.cause = (await call.findRefused(failureOf(failed).error)) ?? cause
}
