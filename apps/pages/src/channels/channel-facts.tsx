import type { ChannelStatus } from '@homeward/contract/agent-platform'
import { Link } from 'react-aria-components'
import { Facts } from '../components/layout/facts.tsx'
import { Notice } from '../components/states/notice.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { useAgentName } from '../components/agents/agent-filter.tsx'
import { nameSettings } from '../settings/setting-texts.ts'

interface ChannelStatusProps {
  readonly status: ChannelStatus
}

/** The state of a channel in a word. */
export function ChannelBadge({ status: { configured, ok } }: ChannelStatusProps) {
  if (!configured) return <StatusBadge status="off">Not set up</StatusBadge>
  return ok ? (
    <StatusBadge status="ok">Works</StatusBadge>
  ) : (
    <StatusBadge status="error">Needs attention</StatusBadge>
  )
}

const modes: Readonly<Record<ChannelStatus['mode'], string>> = {
  webhook: 'The platform calls this server',
  polling: 'This server polls the platform',
  none: 'Not at all',
}

/** What is known about a channel. */
export function ChannelFacts({ status }: ChannelStatusProps) {
  const { configured, identity, mode, webhook_url, default_agent_id, warnings, messages } = status
  const agentName = useAgentName(default_agent_id)
  const agent = default_agent_id !== undefined && (
    <Link href={`/agents/${encodeURIComponent(default_agent_id)}`}>{agentName}</Link>
  )
  return (
    <div className="stack" data-gap="small">
      <Facts
        facts={[
          ['Bot', identity],
          ['Receiving messages', configured ? modes[mode] : undefined],
          ['Webhook', webhook_url],
          ['Agent', agent || (configured ? 'nobody' : undefined)],
          ['Waiting', configured ? messages.waiting : undefined],
          ['Failed', messages.failed > 0 ? messages.failed : undefined],
          ['Uncertain', messages.uncertain > 0 ? messages.uncertain : undefined],
        ]}
      />
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {nameSettings(warning)}
        </Notice>
      ))}
    </div>
  )
}
