import { ClientError } from '@homeward/contract/client'
import { Link } from 'react-aria-components'
import { ErrorState } from '../../components/states/error-state.tsx'

/** What a {@link SendFailure} takes. */
export interface SendFailureProps {
  readonly error: Error
  readonly onRetry: () => void
  readonly agentId: string
}

/** What the agent or the settings can be the reason of. Signing in, or waiting, mends the other refusals. */
const ofAgent = [400, 409, 422]

/** Why a message did not get through. What the server refuses it says in its own words; where to mend it stands below. */
export function SendFailure({ error, onRetry, agentId }: SendFailureProps) {
  const status = ClientError.is(error) ? error.status : undefined
  return (
    <div className="stack" data-gap="small">
      <ErrorState error={error} onRetry={onRetry} isTriedAgain={false} isInline />
      {status !== undefined && ofAgent.includes(status) && (
        <p className="small">
          The run was not started. Change{' '}
          <Link href={`/agents/${encodeURIComponent(agentId)}`}>the agent</Link> or{' '}
          <Link href="/settings">the settings</Link>, then try again.
        </p>
      )}
    </div>
  )
}
