import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { RuntimeError } from '../../ports/runtime-error.ts'
import type { RunsContext } from '../runs-options.ts'
import { toWindow, type PromptFitter } from './prompt-fitter.ts'
import { createPromptTokens } from './prompt-tokens.ts'

type CallOptions = LanguageModelV4CallOptions

/** A rejection of a prompt as too long. */
export interface LearnedOverflow {
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
  { windows, estimateTokens }: Pick<RunsContext, 'windows' | 'estimateTokens'>,
  model: string,
  { fitter, options }: { readonly fitter?: PromptFitter | undefined; readonly options: CallOptions },
  sent: CallOptions,
  cause: unknown,
): Promise<LearnedOverflow | undefined> {
  const { readOverflow } = await import('./read-overflow.ts')
  const overflow = readOverflow(cause)
  if (!overflow) return undefined
  if (!fitter) {
    const estimated = createPromptTokens(estimateTokens).ofCall(sent)
    windows.learn(model, toWindow(overflow, estimated, sent.maxOutputTokens).window)
    return { isShorter: false }
  }
  const problem = await fitter.learn(model, options, sent, overflow)
  return { isShorter: problem === undefined, problem }
}
