import type { Model } from '../ports/model.ts'
import { fitModel } from './fit/fit-model.ts'
import { wireRules } from './fit/wire-rules.ts'
import type { HostedConnection } from './hosted-providers.ts'
import { notLoaded } from './not-loaded.ts'

type Connection = Omit<HostedConnection, 'openaiApi'>

/** Loads models of OpenAI's Responses API. OpenAI stores nothing: reasoning comes back encrypted and is sent again (D24). */
export async function loadOpenAIResponses({
  apiKey,
  baseURL,
  fetch,
}: Connection): Promise<(modelId: string) => Model> {
  try {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const create = createOpenAI({ apiKey, baseURL, fetch })
    return (modelId) =>
      fitModel(withoutStore(create.responses(modelId)), wireRules('openai-responses', 'openai'))
  } catch (cause) {
    throw notLoaded('OpenAI', '@ai-sdk/openai', cause)
  }
}

/**
 * Loads models of a Chat Completions API: with the package of OpenAI for its own base URL, and with the one for compatible servers
 * for any other, because those send and expect fields that OpenAI does not have.
 */
export async function loadOpenAIChat(
  { apiKey, baseURL, fetch, isOwnUrl }: Connection,
  name = 'openai',
): Promise<(modelId: string) => Model> {
  const rules = wireRules('openai-chat', isOwnUrl ? 'openai' : name)
  const packageName = isOwnUrl ? '@ai-sdk/openai' : '@ai-sdk/openai-compatible'
  try {
    if (isOwnUrl) {
      const { createOpenAI } = await import('@ai-sdk/openai')
      const create = createOpenAI({ apiKey, baseURL, fetch })
      return (modelId) =>
        fitModel(create.chat(modelId), { ...rules, cache: 'openai', answerSchema: 'always' })
    }
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const create = createOpenAICompatible({
      name,
      includeUsage: true,
      supportsStructuredOutputs: true,
      apiKey,
      baseURL,
      fetch,
    })
    return (modelId) => fitModel(create(modelId), rules)
  } catch (cause) {
    throw notLoaded('OpenAI', packageName, cause)
  }
}

/** Keeps the state of a conversation here: OpenAI would store it for 30 days by default. */
function withoutStore(model: Model): Model {
  const withOption = (options: Parameters<Model['doStream']>[0]) => {
    const { openai, ...others } = options.providerOptions ?? {}
    return { ...options, providerOptions: { ...others, openai: { ...openai, store: false } } }
  }
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(withOption(options)),
    doStream: (options) => model.doStream(withOption(options)),
  }
}
