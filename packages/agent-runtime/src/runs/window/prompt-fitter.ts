import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Agent } from '@homeward/contract/agent-platform'
import type { Logger } from '../../ports/logger.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { WorkspaceLimits } from '../../tools/workspace/workspace.ts'
import type { ContextWindow, ContextWindows } from './context-windows.ts'
import { answerReserve, createPromptFit, tooLong, type PromptFit } from './fit-prompt.ts'
import { createPromptTokens, type PromptTokens } from './prompt-tokens.ts'
import type { Overflow } from './read-overflow.ts'
import { saveResults, type ResultFile } from './result-files.ts'

type CallOptions = LanguageModelV4CallOptions

/** Fits the model calls of one run to context windows. */
export interface PromptFitter {
  /**
   * Fits a call to the window of a model.
   *
   * @returns the call itself when nothing is known about the window, or it fits.
   * @throws {RuntimeError} `validation_error` when the prompt cannot be made short enough.
   */
  fit(model: string, call: CallOptions): Promise<CallOptions>
  /**
   * Learns from a rejection.
   *
   * @param sent the call as it was rejected
   * @returns undefined if a shorter call can be made, otherwise the error that the call fails with.
   */
  learn(
    model: string,
    call: CallOptions,
    sent: CallOptions,
    overflow: Overflow,
  ): Promise<RuntimeError | undefined>
}

/** Services that a {@link PromptFitter} uses. */
interface PromptFitterContext {
  readonly windows: ContextWindows
  readonly estimateTokens: (text: string) => number
  readonly logger: Logger
  readonly workspaceLimits: Partial<WorkspaceLimits>
}

/** The run whose calls are fitted. */
interface FittedRun {
  readonly agent: Pick<Agent, 'id' | 'context'>
  /** Place of the task in the prompt. */
  readonly taskAt: () => number
  /** Absolute path of the workspace; undefined when it cannot be used. */
  readonly workspace: () => Promise<string | undefined>
}

/** An answer of fewer tokens is not worth a call. */
const fewestOutputTokens = 256

export function createPromptFitter(
  { windows, estimateTokens, logger, workspaceLimits }: PromptFitterContext,
  { agent, taskAt, workspace }: FittedRun,
): PromptFitter {
  const tokens = createPromptTokens(estimateTokens)
  const fits = new Map<string, PromptFit>()
  const saved = new Set<string>()
  // for the run: settings need not be read for each turn
  const known = new Map<string, ContextWindow | undefined>()
  let hasFiles = true

  /** The window, less the schema of the answer. */
  async function windowOf(
    model: string,
    { responseFormat }: CallOptions,
  ): Promise<ContextWindow | undefined> {
    if (!known.has(model)) known.set(model, await windows.of(model, agent))
    const window = known.get(model)
    if (!window || !responseFormat) return window
    return { ...window, tokens: window.tokens - estimateTokens(JSON.stringify(responseFormat)) }
  }

  function fitFor(model: string, window: ContextWindow): PromptFit {
    const key = `${model} ${window.tokens}`
    let fit = fits.get(key)
    if (!fit) fits.set(key, (fit = createPromptFit({ tokens, model, window, hasFiles })))
    return fit
  }

  /** @returns false when the files cannot be written, so that no prompt may name them. */
  async function save(files: readonly ResultFile[]): Promise<boolean> {
    const missing = files.filter(({ path }) => !saved.has(path))
    if (missing.length === 0) return true
    try {
      const root = await workspace()
      if (root === undefined) return false
      await saveResults(root, missing, workspaceLimits)
      for (const { path } of missing) saved.add(path)
      return true
    } catch (error) {
      logger.warn('Storing tool results in the workspace failed', { agentId: agent.id, error: String(error) })
      return false
    }
  }

  async function fit(model: string, call: CallOptions): Promise<CallOptions> {
    const window = await windowOf(model, call)
    if (!window) return call
    let fitted = fitFor(model, window)(call.prompt, taskAt(), call.tools)
    if (!(await save(fitted.files))) {
      hasFiles = false
      fits.clear()
      fitted = fitFor(model, window)(call.prompt, taskAt(), call.tools)
    }
    return withOutputLimit({ ...call, prompt: fitted.prompt }, window, tokens)
  }

  return {
    fit,
    async learn(model, call, sent, overflow) {
      const { window, scale } = toWindow(overflow, tokens.ofCall(sent), sent.maxOutputTokens)
      windows.learn(model, window)
      const all = (await windows.of(model, agent)) ?? window
      known.set(model, { ...all, tokens: Math.floor(all.tokens * scale) })
      try {
        return isSmaller(await fit(model, call), sent, tokens) ? undefined : await describe(model, call)
      } catch (error) {
        if (RuntimeError.is(error)) return error
        throw error
      }
    },
  }

  async function describe(model: string, call: CallOptions): Promise<RuntimeError | undefined> {
    const { prompt, tools } = call
    const window = await windowOf(model, call)
    return window && tooLong({ model, window, tokens, prompt, taskAt: taskAt(), tools })
  }
}

/** The window as a rejection reports it. */
interface RejectedWindow {
  readonly window: ContextWindow
  /** Share of the window to plan with: less than 1 if the prompt had more tokens than estimated. */
  readonly scale: number
}

/**
 * Reads the window from a rejection.
 *
 * @param estimated tokens of the rejected call
 * @param maxOutputTokens of the rejected call
 */
export function toWindow(
  { windowTokens, promptTokens, isWithOutput }: Overflow,
  estimated: number,
  maxOutputTokens = Infinity,
): RejectedWindow {
  const guess = { window: { tokens: Math.floor(estimated * 0.75), limitsOutput: isWithOutput }, scale: 1 }
  if (windowTokens === undefined) return guess
  const scale = promptTokens !== undefined && promptTokens > estimated ? estimated / promptTokens : 1
  const usable = windowTokens * scale
  const isOutput = isWithOutput && estimated + maxOutputTokens > usable
  // A number that does not explain the rejection is not the window.
  if (usable >= estimated && !isOutput) return guess
  return { window: { tokens: windowTokens, limitsOutput: isWithOutput }, scale }
}

/** Some servers reject a call whose prompt and largest answer exceed the window together. */
function withOutputLimit(call: CallOptions, window: ContextWindow, tokens: PromptTokens): CallOptions {
  const { maxOutputTokens: given } = call
  if (given === undefined && !window.limitsOutput) return call
  if (given !== undefined && given <= answerReserve(window)) return call
  const left = Math.max(fewestOutputTokens, window.tokens - tokens.ofCall(call))
  return { ...call, maxOutputTokens: Math.min(given ?? left, left) }
}

/** Tools do not count: a model that has none is called without them. */
function isSmaller(call: CallOptions, than: CallOptions, tokens: PromptTokens): boolean {
  if (tokens.ofCall({ prompt: call.prompt }) < tokens.ofCall({ prompt: than.prompt })) return true
  return (call.maxOutputTokens ?? Infinity) < (than.maxOutputTokens ?? Infinity)
}
