import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Model, ModelProvider } from '../ports/model.ts'
import {
  createClean,
  toRecordedRequest,
  type ModelRecording,
  type RecordedCall,
  type RecordingOptions,
} from './model-recording.ts'

/** Records requests and answers of models: see {@link createModelRecorder}. */
export interface ModelRecorder {
  /** Provider for `createRuntime({ models })`, which calls the given provider and records it. */
  readonly provider: ModelProvider
  /** Completed calls so far. Failed and canceled calls are not included. */
  recording(): ModelRecording
}

/**
 * Records the calls of a provider's models, so that `createModelReplay` can answer them without a key.
 *
 * Prompts and answers are recorded without headers and known secrets. Review a recording before you publish it,
 * because it contains your users' text.
 *
 * @example
 * ```ts
 * // not run: it needs a key
 * import { openai } from '@ai-sdk/openai'
 *
 * const recorder = createModelRecorder((id) => openai(id))
 * const runtime = createRuntime({ models: { openai: recorder.provider } })
 * // run the evals, then:
 * await writeFile('evals.json', JSON.stringify(recorder.recording()))
 * ```
 */
export function createModelRecorder(provider: ModelProvider, options: RecordingOptions = {}): ModelRecorder {
  const calls: RecordedCall[] = []
  const clean = createClean(options)
  return {
    provider: async (modelId) => {
      const given = await provider(modelId)
      // of v4 only what v3 has is used
      const model = given as Model
      const record = (
        asked: LanguageModelV4CallOptions,
        method: RecordedCall['method'],
        answer: readonly unknown[],
      ) => {
        const { specificationVersion: specification } = given
        const head = { model: modelId, provider: model.provider, specification }
        const request = toRecordedRequest(asked, clean)
        calls.push({ ...head, request, method, answer: answer.map(clean) })
      }
      return recorded(model, record)
    },
    recording: () => ({ version: 1, calls: [...calls] }),
  }
}

function recorded(
  model: Model,
  record: (
    asked: LanguageModelV4CallOptions,
    method: RecordedCall['method'],
    answer: readonly unknown[],
  ) => void,
): Model {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(asked) {
      const result = await model.doGenerate(asked)
      const { content, finishReason, usage, warnings, providerMetadata } = result
      record(asked, 'generate', [{ content, finishReason, usage, warnings, providerMetadata }])
      return result
    },
    async doStream(asked) {
      const { stream, ...rest } = await model.doStream(asked)
      const parts: LanguageModelV4StreamPart[] = []
      let isWhole = false
      const watch = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
        transform(part, controller) {
          // they hold times and ids of the response, and nothing that a run reads
          if (part.type !== 'raw' && part.type !== 'response-metadata') parts.push(part)
          if (part.type === 'finish') isWhole = true
          controller.enqueue(part)
        },
        flush() {
          if (isWhole && !parts.some(({ type }) => type === 'error')) record(asked, 'stream', parts)
        },
      })
      return { ...rest, stream: stream.pipeThrough(watch) }
    },
  }
}
