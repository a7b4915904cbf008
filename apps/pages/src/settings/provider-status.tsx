import { usePlatformQuery } from '../api/platform.ts'
import { StatusBadge } from '../components/states/status-badge.tsx'

/** Response of a provider to the request for its models. */
interface ProviderState {
  /** How many it lists; undefined while it is asked. */
  readonly models: number | undefined
  /** Why it does not list them. */
  readonly problem: string | undefined
}

/** Whether a provider answers, and with how many models. All of them are asked at once. */
export function useProviderState(name: string): ProviderState {
  const { data, error } = usePlatformQuery('listModels')
  return {
    models: data?.models.filter(({ provider }) => provider === name).length,
    problem: data?.problems.find(({ provider }) => provider === name)?.message ?? error?.message,
  }
}

interface ProviderStatusProps {
  /** Whether it has what it needs to be asked. */
  readonly isSet: boolean
  /** How many it lists; undefined while it is asked. */
  readonly models: number | undefined
  readonly problem: string | undefined
}

/** Whether a provider answers, and with how many models. */
export function ProviderStatus({ isSet, models, problem }: ProviderStatusProps) {
  if (!isSet) return <span className="muted small">No key</span>
  if (problem !== undefined) return <StatusBadge status="failed">Not working</StatusBadge>
  if (models === undefined) return <span className="muted small">Testing …</span>
  return (
    <StatusBadge status="ready" tone="good">
      {models === 1 ? '1 model' : `${models.toLocaleString()} models`}
    </StatusBadge>
  )
}
