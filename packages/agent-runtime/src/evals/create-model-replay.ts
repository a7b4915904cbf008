import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { streamOf } from '../models/model-answer.ts'
import type { Model, ModelProvider } from '../ports/model.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import {
  createClean,
  keyOf,
  toRecordedRequest,
  withBytes,
  type Clean,
  type ModelRecording,
  type RecordedCall,
  type RecordingOptions,
} from './model-recording.ts'

/**
 * Creates a provider whose models repeat recorded answers, without a key and a network.
 *
 * A request that was recorded several times gets its answers in that order, then from the first one again. Requests
 * are equal if their messages, tools and settings are equal. So tools must return the same results as before, and the
 * agent, its tools and this package must be unchanged. A call without a recording fails with `model_error` and a
 * description of the difference.
 *
 * @param options the same `secrets` as for the recording
 * @throws {RuntimeError} `validation_error` if the value is not a recording
 * @example
 * ```ts
 * // not run: it needs a recording
 * const recording = JSON.parse(await readFile('evals.json', 'utf8'))
 * const runtime = createRuntime({ models: { openai: createModelReplay(recording) } })
 * ```
 */
export function createModelReplay(recording: ModelRecording, options: RecordingOptions = {}): ModelProvider {
  const { version, calls }: Partial<ModelRecording> = recording
  if (version !== 1 || !Array.isArray(calls))
    throw new RuntimeError(
      'validation_error',
      'Replaying model calls failed: the recording must be { version: 1, calls }. Record the calls again with createModelRecorder.',
    )
  const clean = createClean(options)
  const answers = createAnswers(recording)

  return (modelId): Model => {
    const first = recording.calls.find(({ model }) => model === modelId)
    if (!first)
      throw new RuntimeError(
        'model_not_configured',
        `Replaying the model failed: the recording has no call of "${modelId}". Record the evals again with this model.`,
      )
    const take = (asked: LanguageModelV4CallOptions, method: RecordedCall['method']): readonly unknown[] =>
      answers.take(modelId, method, asked, clean)
    return {
      // of v4 only what v3 has is used
      specificationVersion: first.specification as Model['specificationVersion'],
      provider: first.provider,
      modelId,
      supportedUrls: {},
      async doGenerate(asked) {
        asked.abortSignal?.throwIfAborted()
        return take(asked, 'generate')[0] as LanguageModelV4GenerateResult // as it was recorded
      },
      async doStream(asked) {
        asked.abortSignal?.throwIfAborted()
        return { stream: streamOf(take(asked, 'stream') as LanguageModelV4StreamPart[]) } // as they were recorded
      },
    }
  }
}

/** Recorded answers by their request. */
function createAnswers({ calls }: ModelRecording) {
  const byKey = Map.groupBy(calls, ({ model, method, request }) => keyOf(model, method, request))
  const taken = new Map<string, number>()
  return {
    /** @throws {RuntimeError} `model_error` if nothing was recorded for the request */
    take(
      modelId: string,
      method: RecordedCall['method'],
      asked: LanguageModelV4CallOptions,
      clean: Clean,
    ): readonly unknown[] {
      const request = toRecordedRequest(asked, clean)
      const key = keyOf(modelId, method, request)
      const known = byKey.get(key)
      if (!known) throw notRecorded(calls, modelId, request)
      const turn = taken.get(key) ?? 0
      taken.set(key, turn + 1)
      return (known[turn % known.length]?.answer ?? []).map(withBytes)
    },
  }
}

function notRecorded(calls: readonly RecordedCall[], modelId: string, request: JsonObject): RuntimeError {
  const differences = calls
    .filter(({ model }) => model === modelId)
    .map((call) => firstDifference(call.request, request))
  // the one that is the same for the longest
  const closest = differences.toSorted((a, b) => b.messages - a.messages)[0]
  return new RuntimeError(
    'model_error',
    `Replaying the model call failed: the recording has no such request for "${modelId}". Compared with the closest recorded request, ` +
      `${closest?.what ?? 'nothing'} differs. Restore the tools and prompts of the recording, or record again.`,
  )
}

/** Where two requests differ: never what stands there. */
function firstDifference(
  recorded: JsonObject,
  asked: JsonObject,
): { readonly what: string; readonly messages: number } {
  const [before, now] = [promptOf(recorded), promptOf(asked)]
  const same = now.findIndex((message, index) => !isSame(message, before[index]))
  const messages = same === -1 ? now.length : same
  if (same !== -1) return { what: `message ${same + 1} (${roleOf(now[same])})`, messages }
  if (before.length !== now.length) return { what: 'the number of messages', messages }
  const names = [...new Set([...Object.keys(recorded), ...Object.keys(asked)])]
  const name = names.find((one) => !isSame(recorded[one], asked[one]))
  return { what: name === undefined ? 'the method' : `"${name}"`, messages }
}

const promptOf = ({ prompt }: JsonObject): readonly Json[] => (Array.isArray(prompt) ? prompt : [])

const isSame = (a: Json | undefined, b: Json | undefined) =>
  keyOf('', '', { value: a ?? null }) === keyOf('', '', { value: b ?? null })

function roleOf(message: Json | undefined): string {
  const role =
    typeof message === 'object' && message !== null && !Array.isArray(message) ? message['role'] : undefined
  return typeof role === 'string' ? role : 'unknown'
}
