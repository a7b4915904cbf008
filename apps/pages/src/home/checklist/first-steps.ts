import type { ModelList, Run, ScheduleState, SettingsView } from '@homeward/contract/agent-platform'
import type { Device } from '@homeward/contract/device-cloud'

/** What somebody who is new here does first. */
export type FirstStep = 'model' | 'hello' | 'device' | 'automation'

/** What the steps are told by. Undefined is not known yet. */
export interface FirstStepFacts {
  /** Whether a provider has a key, or is an own one. */
  readonly hasProvider: boolean | undefined
  /** What the providers answered when they were asked. */
  readonly models: ModelList | undefined
  /** Runs that completed. */
  readonly completed: readonly Run[] | undefined
  /** Undefined also where there is no device cloud. */
  readonly devices: readonly Device[] | undefined
  readonly schedules: readonly ScheduleState[] | undefined
}

/** A step is done once what it leads to has happened. */
export function doneSteps(facts: FirstStepFacts): Readonly<Record<FirstStep, boolean>> {
  const { hasProvider, models, completed, devices, schedules } = facts
  const hello = completed?.some(usedRealModel) === true
  return {
    // A model that replied is connected, whatever its provider lists.
    model: hello || (hasProvider === true && models?.models.some(isReal) === true),
    hello,
    device: (devices ?? []).filter(({ lastSeenAt }) => lastSeenAt !== null).length > 1,
    automation: schedules?.some(({ enabled }) => enabled) === true,
  }
}

const isTest = (model: string) => model.startsWith('test/')
const isReal = ({ id }: ModelList['models'][number]) => !isTest(id)
const usedRealModel = ({ result }: Run) =>
  result !== undefined && 'model' in result && result.model !== '' && !isTest(result.model)

/** Providers that need only a key. */
export const keyProviders = [
  { id: 'openai', name: 'OpenAI', model: 'openai/gpt-5.4-mini' },
  { id: 'anthropic', name: 'Anthropic', model: 'anthropic/claude-haiku-4-5' },
  { id: 'google', name: 'Google', model: 'google/gemini-flash-latest' },
  { id: 'openrouter', name: 'OpenRouter', model: 'openrouter/openai/gpt-5.4-mini' },
] as const
/** One of them. */
export type KeyProvider = (typeof keyProviders)[number]

/** Whether the settings have a key of a provider. */
export const hasKey = (settings: SettingsView): boolean =>
  keyProviders.some(({ id }) => settings[`${id}_configured`] === true)

/** The model to begin with: the usual one of the provider if it lists it, else the first that it lists. */
export function firstModel({ id, model }: KeyProvider, { models }: ModelList): string | undefined {
  const own = models.filter(({ provider }) => provider === id)
  return own.find((each) => each.id === model)?.id ?? own[0]?.id
}
