import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { maxEarlierBytes, promptFileBytes } from '../../files/load-prompt-files.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { RunsContext } from '../runs-options.ts'
import { toWindow, type PromptFitter } from './prompt-fitter.ts'
import { createPromptTokens } from './prompt-tokens.ts'

type CallOptions = LanguageModelV4CallOptions

/** A rejection of a prompt as too long. */
interface LearnedOverflow {
  /** Whether a shorter prompt can be sent. */
  readonly isShorter: boolean
  /** The error that the call fails with otherwise; undefined for the provider's own error. */
  readonly problem?: RuntimeError | undefined
}

/**
 * Remembers the window of a model whose provider rejected a prompt as too long.
 *
 * @param sent the call as it was rejected
 * @returns undefined for any other failure.
 */
export async function learnWindow(
  { windows, estimateTokens, fileLimits }: Pick<RunsContext, 'windows' | 'estimateTokens' | 'fileLimits'>,
  model: string,
  { fitter, options }: { readonly fitter?: (() => PromptFitter) | undefined; readonly options: CallOptions },
  sent: CallOptions,
  cause: unknown,
): Promise<LearnedOverflow | undefined> {
  const { readOverflow, saysTooLarge } = await import('./read-overflow.ts')
  if (saysTooLarge(cause)) {
    const learned = learnFileLimit(fileLimits, model, sent)
    if (learned) return learned
  }
  const overflow = readOverflow(cause)
  if (!overflow) return undefined
  if (!fitter) {
    const estimated = createPromptTokens(estimateTokens).ofCall(sent)
    windows.learn(model, toWindow(overflow, estimated, sent.maxOutputTokens).window)
    return { isShorter: false }
  }
  const problem = await fitter().learn(model, options, sent, overflow)
  return { isShorter: problem === undefined, problem }
}

/** Files with fewer bytes are not why a request is too large. */
const smallestFileBytes = 1024 * 1024
/** Models that are remembered; beyond them the one learned first is forgotten. */
const maxLearned = 500

/**
 * Remembers how many bytes of files a model can have: the tokens of its window say nothing about that.
 *
 * @returns undefined if the call has no large files.
 */
function learnFileLimit(
  limits: Map<string, number>,
  model: string,
  { prompt }: CallOptions,
): LearnedOverflow | undefined {
  const { own, earlier } = promptFileBytes(prompt, limits.get(model))
  if (own + earlier < smallestFileBytes) return undefined
  if (earlier === 0) return { isShorter: false, problem: filesTooLarge(model, own) }
  limits.delete(model)
  limits.set(model, Math.floor(Math.min(earlier, maxEarlierBytes) / 2))
  const [oldest] = limits.keys()
  if (limits.size > maxLearned && oldest !== undefined) limits.delete(oldest)
  return { isShorter: true }
}

const filesTooLarge = (model: string, bytes: number) =>
  new RuntimeError(
    'validation_error',
    `Calling the model ${model} failed: the provider rejected the files of the message as too large (${bytes} bytes). Send smaller files.`,
  )
