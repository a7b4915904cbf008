import type { ChannelId } from '@homeward/contract/agent-platform'
import { RadioTower } from 'lucide-react'
import { useState } from 'react'
import { useParams } from 'wouter'
import { usePlatformQuery } from '../../api/platform.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { settingsOfChannel } from '../settings/setting-texts.ts'
import { SettingsForm } from '../settings/settings-form.tsx'
import { ChannelBadge, ChannelFacts } from './channel-facts.tsx'
import { ChannelMessages } from './channel-messages.tsx'
import { ChannelGuide } from './channel-guide.tsx'
import { channelNames, firstSteps, isChannelId, registersWebhook } from './channel-texts.ts'
import { SetWebhook } from './set-webhook.tsx'
import './channel-page.css'

/** One channel: its state, how to set it up, and its messages. */
export function ChannelPage() {
  const { id } = useParams<{ id: string }>()
  return (
    <>
      <PageHeader
        title={isChannelId(id) ? channelNames[id] : id}
        description={<span className="mono">{id}</span>}
        back={{ href: '/channels', label: 'Channels' }}
      />
      <div className="stack">
        <ChannelState channel={id} />
        {isChannelId(id) && <ChannelSetup channel={id} />}
        <Card title="Messages">
          <ChannelMessages channel={id} />
        </Card>
      </div>
    </>
  )
}

/** Asking the platform goes out into the network, so it is done when somebody wants it. */
function ChannelState({ channel }: { readonly channel: string }) {
  const [isProbed, setIsProbed] = useState(false)
  const known = usePlatformQuery('getChannelStatus', { params: { channel } })
  const asked = usePlatformQuery(
    'getChannelStatus',
    { params: { channel }, query: { probe: 'true' } },
    { enabled: isProbed },
  )
  const query = asked.data || asked.error ? asked : known
  const probe = () => (isProbed ? void asked.refetch() : setIsProbed(true))
  return (
    <Card
      title="State"
      actions={
        <>
          {query.data && <ChannelBadge status={query.data} />}
          <Button icon={<RadioTower aria-hidden />} isPending={asked.isFetching} onPress={probe}>
            Ask the platform
          </Button>
        </>
      }
    >
      <QueryView query={query}>
        {(status) => (
          <>
            <ChannelFacts status={status} />
            {status.probed && <p className="muted small">As the platform itself says.</p>}
          </>
        )}
      </QueryView>
    </Card>
  )
}

function ChannelSetup({ channel }: { readonly channel: ChannelId }) {
  const settings = usePlatformQuery('getSettings')
  const path = `/api/channels/${channel}/webhook`
  return (
    <>
      <Card title="How to set it up">
        <ol className="first-steps">
          {firstSteps[channel].map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <div className="row">
          <span>Address for the platform: your public address, then</span>
          <code className="foreign">{path}</code>
          <CopyButton text={path} label="Copy path" isIconOnly />
        </div>
        <Disclosure title={`The whole guide for ${channelNames[channel]}`}>
          <ChannelGuide channel={channel} />
        </Disclosure>
      </Card>
      <Card title="Settings">
        <QueryView query={settings}>
          {(view) => <SettingsForm settings={view} keys={settingsOfChannel(channel)} />}
        </QueryView>
      </Card>
      {registersWebhook.has(channel) && (
        <Card title="Webhook">
          <SetWebhook channel={channel} />
        </Card>
      )}
    </>
  )
}
