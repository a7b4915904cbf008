import type { Agent, FallbackModel, SettingsView } from '@homeward/contract/agent-platform'
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

/** Names to begin with: models in use, and the providers that have a key. */
export function suggestModels(agents: readonly Agent[], settings: SettingsView): string[] {
  const used = agents.flatMap(({ model, fallback_models = [] }) => [model, ...fallback_models.map(nameOf)])
  const ready = providers.filter((provider) => settings[`${provider}_configured`] === true)
  return [...new Set([...used, ...builtInModels, ...ready.map((provider) => `${provider}/`)])].toSorted()
}
