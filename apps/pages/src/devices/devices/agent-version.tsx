import type { Device } from '@homeward/contract/device-cloud'
import { useServerFacts } from '../../api/server-facts.ts'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { isOlderVersion } from './is-older-version.ts'

/** The version of a device's agent, and whether it is older than the one that this server comes with. */
export function AgentVersion({ device }: { readonly device: Device }) {
  const latest = useServerFacts()?.agentVersion
  const { agentVersion } = device.metadata
  if (typeof agentVersion !== 'string' || agentVersion === '') return <span className="muted">–</span>
  const isOld = latest !== undefined && isOlderVersion(agentVersion, latest)
  return (
    <span className="row">
      {agentVersion}
      {isOld && (
        <span title={`This server comes with version ${latest}.`}>
          <StatusBadge status="old" tone="warn">
            old version
          </StatusBadge>
        </span>
      )}
    </span>
  )
}
