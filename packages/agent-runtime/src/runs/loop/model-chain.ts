import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Agent, FallbackModel, HostedTool, ModelSettings } from '@homeward/contract/agent-platform'
import type { ResolvedModel } from '../../models/models.ts'
import type { RunsContext } from '../runs-options.ts'
import { ownFilesOf } from '../../files/prompt-files.ts'
import { assertReadable } from '../../models/fit/fit-files.ts'
import { assertHostedTools } from '../stages/hosted-tools.ts'

/** The model of a run, and those that take its place when it fails. */
export interface ModelChain {
  readonly agentId: string
  /** The one that is called now. */
  current: ResolvedModel
  /** How {@link current} is called. */
  settings: ModelSettings
  /** Those that have not been tried, in their order. */
  readonly fallbacks: FallbackModel[]
  /** Provider of models that are named without one. */
  readonly provider: string | undefined
  /** Provider of the agent's own model, and its settings: a fallback of the same provider has them too. */
  readonly main: { readonly provider: string; readonly settings: ModelSettings }
  /** Hosted tools that the agent asks for: all its models have to have them. */
  readonly hostedTools: readonly HostedTool[]
  /** What was found out about models of the run while they were called. */
  readonly changes: CallChange[]
}

/** How calls of a model are changed because its provider refused them as they were. */
interface CallChange {
  /** `provider/model-id` */
  readonly model: string
  /** @returns the options themselves when nothing changes */
  readonly apply: (options: LanguageModelV4CallOptions) => LanguageModelV4CallOptions
  /** What people should know of a call that it changed. */
  readonly warning?: string
}

/** How the agent's own model is called. */
interface MainSettings {
  /** @default none */
  readonly settings?: ModelSettings | undefined
  /**
   * `provider/model-id` of the model that the settings were given for. If the agent has a model of another provider by now,
   * its own settings are used.
   */
  readonly givenFor?: string
}

/** Models to call for an agent, the first one resolved. */
export async function createModelChain(
  context: Pick<RunsContext, 'models'>,
  agent: Agent,
  { settings: given = {}, givenFor }: MainSettings,
  signal?: AbortSignal,
): Promise<ModelChain> {
  const current = await context.models.resolve(agent.model, agent.provider, signal)
  const provider = providerOf(current.name)
  const isSame = givenFor === undefined || providerOf(givenFor) === provider
  const settings = isSame ? given : (agent.model_settings ?? {})
  return {
    agentId: agent.id,
    current,
    settings,
    fallbacks: [...(agent.fallback_models ?? [])],
    provider: agent.provider,
    main: { provider, settings },
    hostedTools: agent.hosted_tools ?? [],
    changes: [],
  }
}

/** Makes the next fallback that can read the files of the run the current model. @returns false when there is none left that can be used. */
export async function nextModel(
  context: Pick<RunsContext, 'models' | 'logger'>,
  chain: ModelChain,
  prompt: LanguageModelV4Prompt,
  signal: AbortSignal,
): Promise<boolean> {
  for (let next = chain.fallbacks.shift(); next !== undefined; next = chain.fallbacks.shift()) {
    const { model: name, model_settings: own }: Exclude<FallbackModel, string> =
      typeof next === 'string' ? { model: next } : next
    try {
      // A name with a provider of its own does not take the agent's.
      const provider = name.includes('/') ? undefined : chain.provider
      const found = await context.models.resolve(name, provider, signal)
      if (chain.hostedTools.length > 0) assertHostedTools(found, chain.hostedTools)
      assertReadable('Using a fallback model', found, ownFilesOf(prompt))
      chain.current = found
      const { main } = chain
      // What one provider supports, another one rejects.
      const inherited = providerOf(chain.current.name) === main.provider ? main.settings : undefined
      chain.settings = mergeSettings(inherited, own) ?? {}
      return true
    } catch (error) {
      if (signal.aborted) throw signal.reason
      context.logger.warn('Choosing a fallback model failed', { model: name, error: String(error) })
    }
  }
  return false
}

const providerOf = (name: string) => name.slice(0, name.indexOf('/'))

/** Settings with others over them, one by one. @returns undefined for none */
export function mergeSettings(
  settings: ModelSettings | undefined,
  over: ModelSettings | undefined,
): ModelSettings | undefined {
  const merged: ModelSettings = { ...settings, ...present(over) }
  return Object.keys(merged).length > 0 ? merged : undefined
}

function present(settings: ModelSettings = {}): ModelSettings {
  // only settings without a value are gone
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

/**
 * A call with the settings of the current model.
 *
 * @param isSideCall - whether it is no turn of the agent, such as the summary of a conversation. Its answer has a form of its
 *   own, which `stop` would cut and much reasoning or a high temperature would not improve. Options of the provider stay: they
 *   may say where data is processed.
 */
export function withSettings(
  { settings }: ModelChain,
  options: LanguageModelV4CallOptions,
  isSideCall: boolean,
): LanguageModelV4CallOptions {
  if (Object.keys(settings).length === 0) return options
  const { provider_options } = settings
  const given = toCallSettings(isSideCall ? { provider_options } : settings)
  const { providerOptions: own = {} } = options
  const all = Object.entries(given.providerOptions ?? {})
  const merged = Object.fromEntries(all.map(([name, each]) => [name, { ...own[name], ...each }]))
  return { ...given, ...options, ...(all.length > 0 && { providerOptions: { ...own, ...merged } }) }
}

/** Settings as the options of a model call. What nobody gave is absent, so the provider's default applies. */
function toCallSettings(
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
