import { RuntimeError } from '../ports/runtime-error.ts'
import { connect, missingKey, type ModelsOptions } from './create-models.ts'
import { baseUrlOf, hostedProviders, keyOf } from './hosted-providers.ts'
import { notLoaded } from './not-loaded.ts'
import { parseModelName } from './parse-model-name.ts'

/** Sound to turn into text. */
export interface Recording {
  readonly content: Uint8Array
  /** Such as `audio/ogg`. */
  readonly mediaType: string
}

/** Turns sound into text. */
export interface Transcriber {
  /**
   * Turns sound into text with the model of the setting `transcription_model`.
   *
   * @returns undefined if the setting is not set.
   * @throws {RuntimeError} `model_not_configured` or `validation_error` if the model cannot be used; whatever its call failed with.
   */
  transcribe(recording: Recording, signal: AbortSignal): Promise<string | undefined>
}

/** The longest that one call may take, in milliseconds. */
const timeoutMs = 120_000
/** Longest text that is used. */
const maxChars = 100_000
/** Providers and wire protocols that have OpenAI's `/audio/transcriptions`. */
const openaiProviders: ReadonlySet<string> = new Set(['openai', 'openai-chat'])
const openaiApis: ReadonlySet<string> = new Set(['openai-chat', 'openai-responses'])

/** Builds a {@link Transcriber}. Nothing is loaded before the first recording. */
export function createTranscriber(options: ModelsOptions): Transcriber {
  async function connectionOf(provider: string) {
    const hosted = openaiProviders.has(provider) ? hostedProviders[provider] : undefined
    if (hosted) {
      const apiKey = keyOf(hosted, options.environment, await options.settings.read())
      if (apiKey === undefined) throw missingKey(hosted)
      return connect(options, baseUrlOf(hosted, options.environment), apiKey)
    }
    const entry = options.configured?.read().byName.get(provider)
    if (entry && openaiApis.has(entry.api)) return connect(options, entry.base_url, entry.api_key)
    const fix =
      'Set transcription_model to a model of OpenAI, or of a provider that you configured with the OpenAI API.'
    throw new RuntimeError(
      'validation_error',
      `Transcribing failed: the provider "${provider}" does not support transcription. ${fix}`,
    )
  }

  return {
    async transcribe({ content, mediaType }, signal) {
      const name = (await options.settings.read()).transcription_model
      if (name === undefined) return undefined
      const { provider, modelId } = parseModelName(name, undefined, [...openaiProviders])
      const connection = await connectionOf(provider)
      const model = await load(connection, modelId)
      const limit = new AbortController()
      const timer = setTimeout(() => limit.abort(tooSlow()), timeoutMs)
      try {
        const abortSignal = AbortSignal.any([signal, limit.signal])
        const { text } = await model.doGenerate({ audio: content, mediaType, abortSignal })
        return text.trim().slice(0, maxChars).toWellFormed()
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

async function load(connection: Awaited<ReturnType<typeof connect>>, modelId: string) {
  try {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI(connection).transcription(modelId)
  } catch (cause) {
    throw notLoaded('OpenAI', '@ai-sdk/openai', cause)
  }
}

const tooSlow = () =>
  new RuntimeError(
    'timeout',
    `Transcribing failed: the model did not respond within ${timeoutMs / 1000} s. Try again.`,
  )
