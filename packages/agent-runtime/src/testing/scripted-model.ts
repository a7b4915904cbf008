import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
} from '@ai-sdk/provider'
import {
  streamOf,
  toGenerateResult,
  toModelUsage,
  toStreamParts,
  type AnsweredFile,
  type ModelAnswer,
  type UsageDetails,
} from '../models/model-answer.ts'

/** A tool call that a {@link ScriptedStep} makes. */
export interface ScriptedToolCall {
  readonly name: string
  /** Arguments; a text is sent as it is, so that it may be no JSON. @default {} */
  readonly args?: unknown
  /** @default `call-1`, `call-2`, … over the whole script */
  readonly id?: string
}

/** What a scripted model does when it is called: text, tool calls, an error, or text that breaks off. */
export interface ScriptedStep {
  readonly reasoning?: string
  /** An array is streamed piece by piece. */
  readonly text?: string | readonly string[]
  readonly toolCalls?: readonly ScriptedToolCall[]
  /** Files that the model makes, behind the text. @default none */
  readonly files?: readonly AnsweredFile[]
  /** Thrown instead of an answer; with `text` or `toolCalls`, what the stream breaks off with behind them. */
  readonly error?: unknown
  /** The stream stays open behind its content, until the call is aborted. @default false */
  readonly hang?: boolean
  /** The stream ends behind its content without saying that it is finished. @default false */
  readonly cut?: boolean
  /** Awaited before the step answers: hold the model until the test lets go. Heeds the call's signal by itself. */
  readonly gate?: (signal: AbortSignal | undefined) => Promise<void>
  /** Tokens that the call is said to have used. @default 10 in, 5 out; `null`: the model does not tell */
  readonly usage?: ({ readonly input: number; readonly output: number } & UsageDetails) | null
  /** @default `tool-calls` with tool calls, else `stop` */
  readonly finish?: LanguageModelV4FinishReason['unified']
}

/** A step, or what makes one from the call that asks for it. */
export type ScriptedResponse = ScriptedStep | ((call: LanguageModelV4CallOptions) => ScriptedStep)

/** A call that a scripted model got. */
export type ScriptedCall = LanguageModelV4CallOptions & { readonly method: 'generate' | 'stream' }

/** A language model that plays a fixed script: see {@link createScriptedModel}. */
export interface ScriptedModel extends LanguageModelV4 {
  /** Every call so far, the oldest first. */
  readonly calls: readonly ScriptedCall[]
  /** @throws {Error} when steps are left, or the model was called more often than it has steps. */
  assertComplete(): void
}

/** How a {@link ScriptedModel} is called. */
export interface ScriptedModelOptions {
  /** @default 'scripted' */
  readonly provider?: string
  /** @default 'model' */
  readonly modelId?: string
}

/**
 * Builds a language model that answers each call with the next step: for tests that need no provider and no key.
 *
 * @example
 * const model = createScriptedModel([
 *   { toolCalls: [{ name: 'time' }] },
 *   { text: 'It is noon.' },
 * ])
 * const runtime = createRuntime({ models: { mine: () => model } })
 * // … run an agent whose model is `mine/any` …
 * model.assertComplete()
 */
export function createScriptedModel(
  steps: readonly ScriptedResponse[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const calls: ScriptedCall[] = []
  let made = 0

  async function play(call: LanguageModelV4CallOptions, method: ScriptedCall['method']) {
    const step = steps[calls.length]
    calls.push({ ...call, method })
    call.abortSignal?.throwIfAborted()
    if (!step) throw new Error(`A scripted model has ${steps.length} steps and was called once more`)
    const answer = typeof step === 'function' ? step(call) : step
    await answer.gate?.(call.abortSignal)
    if ('error' in answer && !answer.text && !answer.toolCalls) throw answer.error
    return { answer, played: toAnswer(answer, () => `call-${(made += 1)}`) }
  }

  return {
    specificationVersion: 'v4',
    provider: options.provider ?? 'scripted',
    modelId: options.modelId ?? 'model',
    supportedUrls: {},
    calls,
    async doGenerate(call) {
      const { answer, played } = await play(call, 'generate')
      if ('error' in answer) throw answer.error
      if (answer.cut || answer.hang) throw new Error('A scripted model was cut off')
      return toGenerateResult(played)
    },
    async doStream(call) {
      const { answer, played } = await play(call, 'stream')
      if ('error' in answer)
        return { stream: streamOf(toStreamParts(played, false), { error: answer.error }) }
      if (answer.hang) return { stream: streamOf(toStreamParts(played, false), 'hang') }
      return { stream: streamOf(toStreamParts(played, !answer.cut)) }
    },
    assertComplete() {
      if (calls.length === steps.length) return
      throw new Error(`A scripted model has ${steps.length} steps and was called ${calls.length} times`)
    },
  }
}

function toAnswer(step: ScriptedStep, createId: () => string): ModelAnswer {
  const text = typeof step.text === 'string' ? [step.text] : (step.text ?? [])
  const calls = (step.toolCalls ?? []).map(({ id, name, args = {} }) => ({
    id: id ?? createId(),
    name,
    input: typeof args === 'string' ? args : JSON.stringify(args),
  }))
  const { input, output, ...details } = step.usage ?? { input: 10, output: 5 }
  return {
    ...(step.reasoning !== undefined && { reasoning: step.reasoning }),
    text,
    ...(step.files && { files: step.files }),
    calls,
    usage: step.usage === null ? toModelUsage(undefined, undefined) : toModelUsage(input, output, details),
    finish: step.finish ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
  }
}
