import type { Agent, FallbackModel, ModelList, SettingsView } from '@homeward/contract/agent-platform'
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

/** Names to begin with: models in use, those that the providers list, and providers with a key that list none. */
export function suggestModels(
  agents: readonly Agent[],
  settings: SettingsView,
  listed: readonly ListedModel[] = [],
): string[] {
  const used = agents.flatMap(({ model, fallback_models = [] }) => [model, ...fallback_models.map(nameOf)])
  const ready = providers.filter(
    (name) => settings[`${name}_configured`] === true && !listed.some(({ provider }) => provider === name),
  )
  const names = [...used, ...builtInModels, ...ready.map((name) => `${name}/`), ...listed.map(({ id }) => id)]
  return [...new Set(names)].slice(0, mostSuggested).toSorted()
}

type ListedModel = ModelList['models'][number]
