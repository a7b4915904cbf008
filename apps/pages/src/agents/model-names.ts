import type { Agent, FallbackModel, ModelList } from '@homeward/contract/agent-platform'
import type { AgentDraft } from './agent-draft.ts'

/** Models that need no key. */
export const builtInModels = ['test/echo', 'test/tools'] as const

/** Providers that every platform knows; a host can add its own. */
export const providers = ['openai', 'anthropic', 'google', 'openrouter', 'test'] as const

/** Which provider the model of a form belongs to; undefined while that cannot be told. */
export function providerOf({ model, provider }: Pick<AgentDraft, 'model' | 'provider'>): string | undefined {
  if (provider !== '') return provider
  const slash = model.indexOf('/')
  return slash > 0 ? model.slice(0, slash) : undefined
}

/** The name of a fallback model. */
export const nameOf = (fallback: FallbackModel) => (typeof fallback === 'string' ? fallback : fallback.model)

/** Fallback models of these names; those that were there before keep their settings. */
export function toFallbacks(names: readonly string[], before: readonly FallbackModel[]): FallbackModel[] {
  return names.map((name) => before.find((known) => nameOf(known) === name) ?? name)
}

/** A list of more is slow to show. Other names can be written. */
const mostSuggested = 1000

/** Names to choose from: those that the providers list, the built-in ones, and those in use that can run. */
export function suggestModels(agents: readonly Agent[], listed: readonly ListedModel[] = []): string[] {
  const used = agents.flatMap(({ model, fallback_models = [] }) => [model, ...fallback_models.map(nameOf)])
  const named = used.filter((name) => /^[^/]+\/./.test(name))
  return [...new Set([...named, ...builtInModels, ...listed.map(({ id }) => id)])]
    .slice(0, mostSuggested)
    .toSorted()
}

type ListedModel = ModelList['models'][number]
