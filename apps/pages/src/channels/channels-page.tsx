import type { ChannelId } from '@homeward/contract/agent-platform'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { usePlatformQuery } from '../api/platform.ts'
import { Card } from '../components/layout/card.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { ChannelBadge, ChannelFacts } from './channel-facts.tsx'
import { firstSteps } from './channel-texts.ts'
import { channelNames } from '../settings/setting-texts.ts'

/** The five messaging channels. */
export function ChannelsPage() {
  return (
    <>
      <PageHeader title="Channels" description="Messaging platforms where your agents can answer." />
      <div className="grid">
        {(Object.keys(channelNames) as ChannelId[]).map((channel) => (
          <ChannelCard key={channel} channel={channel} />
        ))}
      </div>
    </>
  )
}

function ChannelCard({ channel }: { readonly channel: ChannelId }) {
  const query = usePlatformQuery('getChannelStatus', { params: { channel } })
  const name = channelNames[channel]
  const isConfigured = query.data?.configured ?? true
  return (
    <Card title={name} actions={query.data && <ChannelBadge status={query.data} />}>
      <QueryView query={query}>
        {(status) =>
          status.configured ? (
            <ChannelFacts status={status} isShort />
          ) : (
            <p className="muted">{firstSteps[channel][0]}</p>
          )
        }
      </QueryView>
      <div className="row" data-justify="end">
        <LinkButton href={`/channels/${channel}`} aria-label={`${isConfigured ? 'Open' : 'Set up'} ${name}`}>
          {isConfigured ? 'Open' : 'Set up'}
        </LinkButton>
      </div>
    </Card>
  )
}
