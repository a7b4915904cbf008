import { channelPlatforms, type ChannelId } from '@homeward/contract/agent-platform'
import { MessageCircleQuestion } from 'lucide-react'
import { usePlatformQueries } from '../../api/platform.ts'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { UrgentCard } from './urgent-card.tsx'

/** What a channel needs a person for. */
export interface ChannelDecision {
  readonly channel: ChannelId
  readonly platform: string
  /** Messages that may not have arrived. */
  readonly uncertain: number
  readonly failed: number
  /** People with a valid pairing code. */
  readonly waiting: number
}

const ids = Object.keys(channelPlatforms) as ChannelId[] // keys of the table
const inputs = ids.map((channel) => ({ params: { channel } }))

/** Channels that need a person, among those that are set up. */
export function useChannelDecisions(): readonly ChannelDecision[] {
  const statuses = usePlatformQueries('getChannelStatus', inputs)
  const configured = ids.flatMap((channel, place) => {
    const status = statuses[place]
    return status?.configured === true ? [{ channel, status }] : []
  })
  const senders = usePlatformQueries(
    'listChannelSenders',
    configured.map(({ channel }) => ({ params: { channel } })),
  )
  return configured
    .map(({ channel, status: { platform, messages } }, place) => ({
      channel,
      platform,
      uncertain: messages.uncertain,
      failed: messages.failed,
      waiting: senders[place]?.senders.filter(({ code }) => code !== undefined).length ?? 0,
    }))
    .filter(({ uncertain, failed, waiting }) => uncertain + failed + waiting > 0)
}

/** What one channel needs a person for, and the way there. */
export function ChannelDecisionCard({ decision }: { readonly decision: ChannelDecision }) {
  const { channel, platform, uncertain, failed, waiting } = decision
  return (
    <UrgentCard
      icon={MessageCircleQuestion}
      tone="warn"
      title={`${platform} needs a decision`}
      action={<LinkButton href={`/channels/${channel}`}>Open the channel</LinkButton>}
    >
      {uncertain > 0 && <p>{uncertain} messages may not have arrived.</p>}
      {failed > 0 && <p>{failed} messages did not arrive.</p>}
      {waiting > 0 && <p>Valid pairing codes: {waiting}.</p>}
    </UrgentCard>
  )
}
