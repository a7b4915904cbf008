import type { ModelList } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { AskedProvider, Offer, OfferedModel } from './ask-for-models.ts'
import type { ModelCatalogOptions } from './create-model-catalog.ts'
import { toProviderFetch } from './create-models.ts'
import { apiOf, baseUrlOf, hostedProviders, isTaken, keyOf } from './hosted-providers.ts'

interface Listed {
  readonly name: string
  readonly provider: AskedProvider
  /** Ids that the operator listed. */
  readonly known: readonly string[]
}

/** Asks every provider for its models, all at once. */
export async function listModels(options: ModelCatalogOptions, signal?: AbortSignal): Promise<ModelList> {
  const { askForModels } = await import('./ask-for-models.ts')
  const fetch = await toProviderFetch(options.fetch)
  const { providers, problems } = await findProviders(options)
  const lists = await Promise.all(
    providers.map(async (listed) => ({
      ...listed,
      offer: await askForModels(listed.provider, fetch, signal),
    })),
  )
  return {
    models: lists.flatMap(({ name, known, offer }) =>
      merge(known, offer).map(({ id, contextWindow }) => ({
        id: `${name}/${id}`,
        provider: name,
        ...(contextWindow !== undefined && { context_window: contextWindow }),
      })),
    ),
    problems: [
      ...problems,
      ...lists.flatMap(({ name, offer: { problem } }) =>
        problem ? [{ provider: name, message: problem }] : [],
      ),
    ],
  }
}

/** Built-in providers with a key, and all configured ones. `openai-chat` has the models of `openai`. */
async function findProviders(options: ModelCatalogOptions) {
  const { environment, configured, providers: own = {} } = options
  const settings = await options.settings.read()
  const providers: Listed[] = []
  const problems: ModelList['problems'] = []
  for (const [name, hosted] of Object.entries(hostedProviders)) {
    const apiKey = keyOf(hosted, environment, settings)
    if (apiKey === undefined || name === 'openai-chat' || Object.hasOwn(own, name)) continue
    try {
      const baseUrl = baseUrlOf(hosted, environment)
      const api = apiOf(name, hosted, baseUrl, settings)
      providers.push({ name, provider: { api, baseUrl, apiKey }, known: [] })
    } catch (error) {
      if (!RuntimeError.is(error)) throw error
      problems.push({ provider: name, message: error.message })
    }
  }
  const entries = configured.read()
  for (const [name, { api, base_url: baseUrl, api_key: apiKey, models = [] }] of entries.byName) {
    if (isTaken(name, own)) problems.push({ provider: name, message: takenName(name) })
    else providers.push({ name, provider: { api, baseUrl, apiKey }, known: models })
  }
  for (const [provider, message] of entries.problems) problems.push({ provider, message })
  return { providers, problems }
}

const takenName = (name: string) =>
  `Reading the model provider "${name}" of config.json failed: the name belongs to another provider. Rename the entry.`

/** The operator's ids first, then the rest of what the provider offers. */
function merge(known: readonly string[], { models }: Offer): readonly OfferedModel[] {
  const merged = new Map(known.map((id) => [id, { id }]))
  for (const model of models) merged.set(model.id, model)
  return [...merged.values()]
}
