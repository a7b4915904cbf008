import type { ChannelStatus } from '@homeward/contract/agent-platform'
import { Link } from 'react-aria-components'
import { Facts } from '../components/layout/facts.tsx'
import { Notice } from '../components/states/notice.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { useAgentName } from '../components/agents/agent-filter.tsx'
import { toldWarning } from './channel-texts.ts'
import './channel-page.css'
import { nameSettings } from '../settings/setting-texts.ts'

interface ChannelStatusProps {
  readonly status: ChannelStatus
}

interface ChannelFactsProps extends ChannelStatusProps {
  /** Only what a list needs: one line for each warning. @default false */
  readonly isShort?: boolean
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
  webhook: 'Sent by the platform',
  polling: 'Fetched by this server',
  none: '–',
}

/** What is known about a channel. */
export function ChannelFacts({ status, isShort = false }: ChannelFactsProps) {
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
          ['Agent', agent || undefined],
          ['Messages', configured && !isShort ? modes[mode] : undefined],
          ['Webhook', isShort ? undefined : webhook_url],
          ['Waiting', messages.waiting > 0 ? messages.waiting : undefined],
          ['Failed', messages.failed > 0 ? messages.failed : undefined],
          ['Uncertain', messages.uncertain > 0 ? messages.uncertain : undefined],
        ]}
      />
      {isShort ? (
        <ul className="channel-warnings">
          {warnings.map((warning) => (
            <li key={warning} className="foreign">
              {toldWarning(warning)}
            </li>
          ))}
        </ul>
      ) : (
        warnings.map((warning) => <ChannelWarning key={warning} warning={warning} />)
      )}
    </div>
  )
}

/** A warning in the words of people, and below it those of the server if they say more. */
function ChannelWarning({ warning }: { readonly warning: string }) {
  const told = toldWarning(warning)
  const isShortened = told !== nameSettings(warning) && warning.includes(' failed: ')
  return (
    <Notice tone="warn">
      {told}
      {isShortened && <p className="muted small">{warning}</p>}
    </Notice>
  )
}
