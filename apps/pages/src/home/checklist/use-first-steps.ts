import { useQuery } from '@tanstack/react-query'
import { useCloudQuery } from '../../api/cloud.ts'
import { platform, usePlatformQuery } from '../../api/platform.ts'
import { useServerFacts } from '../../api/server-facts.ts'
import { untilNextRead } from '../../api/device-events.ts'
import { everyDevice } from '../../devices/device-filter.ts'
import { useDeviceCounts } from '../../devices/use-devices.ts'
import type { ModelList, Run, ScheduleState, SettingsView, UsageSum } from '@homeward/contract/agent-platform'
import type { Device, SavedSearch } from '@homeward/contract/device-cloud'
import { useSyncExternalStore } from 'react'
import { useNow } from '../../components/text/use-now.ts'

const dayMs = 86_400_000

/** The steps that this server offers, and which of them are done. Undefined until it is known. */
export function useFirstSteps(enabled: boolean) {
  const serves = useServerFacts()?.serves
  const settings = usePlatformQuery('getSettings', {}, { enabled })
  const providers = usePlatformQuery('listModelProviders', {}, { enabled })
  const ownProvider = providers.data?.providers.some(({ built_in: isBuiltIn }) => !isBuiltIn)
  const hasProvider = settings.data && providers.data && (hasKey(settings.data) || ownProvider === true)
  const models = useQuery({
    queryKey: ['listModels', {}],
    queryFn: ({ signal }) => platform.listModels({ signal }),
    enabled: enabled && hasProvider === true,
    // Each provider is asked: once is enough, and once more after a key was saved.
    staleTime: Infinity,
  })
  const runs = usePlatformQuery('listRuns', { query: { status: 'completed', limit: '50' } }, { enabled })
  const hasDevices = serves?.devices === true
  const devices = useCloudQuery(
    'listDevices',
    { query: { limit: '1000' } },
    {
      enabled: enabled && hasDevices,
      refetchInterval: (reply) => untilNextRead((reply?.devices.length ?? 0) > 50 ? 60_000 : 5000),
    },
  )
  // Of many devices, those that were seen may not be among the newest.
  const { online } = useDeviceCounts(everyDevice, enabled && hasDevices)
  // Later runs push the first one of a real model out of the list, but not out of the usage.
  const from = new Date(useNow(dayMs) - 365 * dayMs).toISOString()
  const usage = usePlatformQuery('getUsage', { query: { from, interval: 'day' } }, { enabled })
  // Also a schedule that was deleted since has run.
  const scheduled = usePlatformQuery('listRuns', { query: { source: 'schedule', limit: '1' } }, { enabled })
  const schedules = usePlatformQuery('listSchedules', {}, { enabled })
  const saved = useCloudQuery('listSavedSearches', {}, { enabled: enabled && hasDevices })
  if (!enabled || serves === undefined || isOpen(settings) || isOpen(runs) || isOpen(schedules))
    return undefined
  const done = rememberDone(
    doneSteps({
      hasProvider,
      models: models.data,
      completed: runs.data?.runs,
      usage: usage.data?.usage,
      scheduled: scheduled.data?.runs,
      devices: devices.data?.devices,
      online,
      schedules: schedules.data?.schedules,
      savedSearches: saved.data?.savedSearches,
    }),
  )
  const steps: readonly FirstStep[] = [
    'model',
    'hello',
    ...(hasDevices ? (['device'] as const) : []),
    'automation',
  ]
  return { steps, done, problems: models.data?.problems ?? [] }
}

/** Neither read nor refused. */
const isOpen = ({ data, error }: { readonly data: unknown; readonly error: Error | null }) =>
  data === undefined && error === null

/** What somebody who is new here does first. */
export type FirstStep = 'model' | 'hello' | 'device' | 'automation'

/** Facts that show which steps are done. Undefined: not known yet. */
export interface FirstStepFacts {
  /** Whether a provider has a key, or is an own one. */
  readonly hasProvider: boolean | undefined
  /** What the providers answered when they were asked. */
  readonly models: ModelList | undefined
  /** Runs that completed. */
  readonly completed: readonly Run[] | undefined
  /** Model calls of the last year. */
  readonly usage?: readonly UsageSum[] | undefined
  /** Runs that a schedule began. */
  readonly scheduled?: readonly Run[] | undefined
  /** Undefined also without a device cloud. */
  readonly devices: readonly Device[] | undefined
  /** How many devices are online. */
  readonly online?: number | undefined
  readonly schedules: readonly ScheduleState[] | undefined
  /** Undefined also without a device cloud. */
  readonly savedSearches: readonly SavedSearch[] | undefined
}

/** A step is done once what it leads to has happened. */
export function doneSteps(facts: FirstStepFacts): Readonly<Record<FirstStep, boolean>> {
  const { hasProvider, models, completed, usage, scheduled, devices, online = 0 } = facts
  const { schedules, savedSearches } = facts
  const hello =
    completed?.some(usedRealModel) === true ||
    usage?.some(({ model, output_tokens: output }) => output > 0 && model !== '' && !isTest(model)) === true
  return {
    // A model that replied is connected, whatever its provider lists.
    model: hello || (hasProvider === true && models?.models.some(isReal) === true),
    hello,
    device: online > 1 || (devices ?? []).filter(({ lastSeenAt }) => lastSeenAt !== null).length > 1,
    automation:
      (scheduled?.length ?? 0) > 0 ||
      schedules?.some(({ enabled }) => enabled) === true ||
      savedSearches?.some(({ schedule }) => schedule !== undefined) === true,
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
const hasKey = (settings: SettingsView): boolean =>
  keyProviders.some(({ id }) => settings[`${id}_configured`] === true)

const doneKey = 'homeward.first-steps.done'

/** A step that was done stays done in this browser, also where nothing on the server shows it any more. */
function rememberDone(done: Readonly<Record<FirstStep, boolean>>): Readonly<Record<FirstStep, boolean>> {
  try {
    const before = new Set((localStorage.getItem(doneKey) ?? '').split(' '))
    const names = Object.keys(done) as FirstStep[] // its keys are the steps
    const all = names.filter((name) => done[name] || before.has(name))
    if (all.some((name) => !before.has(name))) localStorage.setItem(doneKey, all.join(' '))
    return Object.fromEntries(names.map((name) => [name, all.includes(name)])) as typeof done // of each key
  } catch {
    return done
  }
}

const storageKey = 'homeward.first-steps'
const listeners = new Set<() => void>()
let current: boolean | undefined

function read(): boolean {
  try {
    current ??= localStorage.getItem(storageKey) === 'hidden'
  } catch {
    current ??= false
  }
  return current
}

/** Hides the first steps in this browser, for good. */
export function hideChecklist(): void {
  current = true
  try {
    localStorage.setItem(storageKey, 'hidden')
  } catch {
    // It counts until the page is closed.
  }
  for (const listener of listeners) listener()
}

/** Whether this browser shows the first steps no more. */
export function useIsChecklistHidden(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, read)
}
