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

/** A tool call of a {@link ScriptedStep}. */
export interface ScriptedToolCall {
  readonly name: string
  /** Arguments; a string is sent unchanged, so that it may be invalid JSON. @default {} */
  readonly args?: unknown
  /** Id of the call. @default `call-1`, `call-2`, … over the whole script */
  readonly id?: string
}

/** One response of a scripted model: text, tool calls, an error, or an interrupted text. */
export interface ScriptedStep {
  readonly reasoning?: string
  /** Text of the answer. An array is streamed piece by piece. */
  readonly text?: string | readonly string[]
  readonly toolCalls?: readonly ScriptedToolCall[]
  /** Files that the model creates, after the text. @default no files */
  readonly files?: readonly AnsweredFile[]
  /** Error instead of an answer; with `text` or `toolCalls`, the error that interrupts the stream after them. */
  readonly error?: unknown
  /** Whether the stream stays open after its content, until the call is aborted. @default false */
  readonly hang?: boolean
  /** Whether the stream ends after its content without a finish part. @default false */
  readonly cut?: boolean
  /**
   * Promise to wait for before the answer, to hold the model until the test resolves it. The call's signal is
   * respected.
   */
  readonly gate?: (signal: AbortSignal | undefined) => Promise<void>
  /** Reported token usage. @default 10 input and 5 output tokens; `null`: no usage is reported */
  readonly usage?: ({ readonly input: number; readonly output: number } & UsageDetails) | null
  /** Finish reason. @default `tool-calls` with tool calls, else `stop` */
  readonly finish?: LanguageModelV4FinishReason['unified']
}

/** A step, or a function that returns the step for a call. */
export type ScriptedResponse = ScriptedStep | ((call: LanguageModelV4CallOptions) => ScriptedStep)

/** A call to a scripted model. */
export type ScriptedCall = LanguageModelV4CallOptions & { readonly method: 'generate' | 'stream' }

/** A language model that follows a fixed script: see {@link createScriptedModel}. */
export interface ScriptedModel extends LanguageModelV4 {
  /** All calls so far, oldest first. */
  readonly calls: readonly ScriptedCall[]
  /**
   * Checks that all steps were used, and no more calls were made.
   *
   * @throws {Error} if steps are left, or there were more calls than steps.
   */
  assertComplete(): void
}

/** Name and id of a {@link ScriptedModel}. */
export interface ScriptedModelOptions {
  /** Provider name. @default 'scripted' */
  readonly provider?: string
  /** Model id. @default 'model' */
  readonly modelId?: string
}

/**
 * Creates a language model that answers each call with the next step, for tests without a provider and a key.
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
