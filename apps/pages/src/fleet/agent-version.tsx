import type { Device } from '@homeward/contract/device-cloud'
import { useServerFacts } from '../api/server-facts.ts'
import { StatusBadge } from '../components/states/status-badge.tsx'

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

/** Whether a version such as `0.9.1` comes before another one. False for what is not a version, and for equal ones. */
export function isOlderVersion(version: string, latest: string): boolean {
  const mine = numbersOf(version)
  const theirs = numbersOf(latest)
  if (!mine || !theirs) return false
  const place = [0, 1, 2].find((index) => mine[index] !== theirs[index])
  return place !== undefined && (mine[place] ?? 0) < (theirs[place] ?? 0)
}

function numbersOf(version: string): readonly number[] | undefined {
  const [, ...parts] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []
  return parts.length === 3 ? parts.map(Number) : undefined
}
