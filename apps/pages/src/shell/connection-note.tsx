import { useConnection } from '../api/connection.ts'
import { StatusBadge } from '../components/states/status-badge.tsx'

/** Whether the server answers: always there to see, and said once when it changes. */
export function ConnectionNote() {
  const connection = useConnection()
  const { label, tone } = {
    online: { label: 'Connected', tone: 'good' },
    connecting: { label: 'Connecting …', tone: 'warn' },
    offline: { label: 'Offline', tone: 'bad' },
  }[connection] as { label: string; tone: 'good' | 'warn' | 'bad' }
  return (
    <div role="status" aria-label="Connection">
      <StatusBadge status={connection} tone={tone}>
        {label}
      </StatusBadge>
    </div>
  )
}
