import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { ModelSettings } from '@homeward/contract/agent-platform'

/** Settings as the options of a model call. What nobody gave is absent, so the provider's default applies. */
export function toCallSettings(
  settings: ModelSettings,
): Omit<LanguageModelV4CallOptions, 'prompt' | 'tools' | 'abortSignal'> {
  const { temperature, top_p, top_k, seed, stop, reasoning, provider_options } = settings
  return {
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { topP: top_p }),
    ...(top_k !== undefined && { topK: top_k }),
    ...(seed !== undefined && { seed }),
    ...(stop !== undefined && stop.length > 0 && { stopSequences: stop }),
    ...(reasoning !== undefined && { reasoning }),
    ...(provider_options && { providerOptions: provider_options }),
  }
}
