import { useQuery } from '@tanstack/react-query'
import { useCloudQuery } from '../../api/cloud.ts'
import { platform, usePlatformQuery } from '../../api/platform.ts'
import { useServerFacts } from '../../api/server-facts.ts'
import { untilNextRead } from '../../api/device-events.ts'
import { doneSteps, type FirstStep, hasKey } from './first-steps.ts'

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
    { query: { limit: '50' } },
    { enabled: enabled && hasDevices, refetchInterval: () => untilNextRead(5000) },
  )
  const schedules = usePlatformQuery('listSchedules', {}, { enabled })
  if (!enabled || serves === undefined || isOpen(settings) || isOpen(runs) || isOpen(schedules))
    return undefined
  const done = doneSteps({
    hasProvider,
    models: models.data,
    completed: runs.data?.runs,
    devices: devices.data?.devices,
    schedules: schedules.data?.schedules,
  })
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
