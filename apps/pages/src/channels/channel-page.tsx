import type { ChannelId } from '@homeward/contract/agent-platform'
import { RadioTower } from 'lucide-react'
import { Redirect, useParams } from 'wouter'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { isGone } from '../api/until-gone.ts'
import { Button } from '../components/buttons/button.tsx'
import { Card } from '../components/layout/card.tsx'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { describeError, ErrorState } from '../components/states/error-state.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { SettingsForm } from '../settings/settings-form.tsx'
import { ChannelBadge, ChannelFacts } from './channel-facts.tsx'
import { ChannelMessages } from './channel-messages.tsx'
import { ChannelSenders } from './channel-senders.tsx'
import { ChannelRoutes } from './channel-routes.tsx'
import { firstSteps, isChannelId, polls, registersWebhook } from './channel-texts.ts'
import { channelNames, nameSettings, settingsOfChannel } from '../settings/setting-texts.ts'
import './channel-page.css'
import { Suspense, useState } from 'react'
import { lazyPart } from '../components/states/lazy-part.ts'
import { LoadingState } from '../components/states/loading-state.tsx'
import { Markdown } from '../components/text/markdown.tsx'
import { toFieldErrors } from '../api/field-errors.ts'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { showToast } from '../components/states/toasts.tsx'

const list = { href: '/channels', label: 'Channels' }

/** One channel: its state, how to set it up, and its messages. */
export function ChannelPage() {
  const { id } = useParams<{ id: string }>()
  const status = usePlatformQuery('getChannelStatus', { params: { channel: id } })
  const documented = status.data?.channel
  // Under the name of its platform it is found too (A1); its page has one address.
  if (documented !== undefined && documented !== id)
    return <Redirect to={`/channels/${documented}`} replace />
  if (isGone(status.error)) {
    return (
      <>
        <PageHeader title="Channel" back={list} />
        <MissingState kind="channel" id={id} list={list} />
      </>
    )
  }
  return (
    <>
      <PageHeader title={isChannelId(id) ? channelNames[id] : id} back={list} />
      <div className="stack">
        <ChannelState key={id} channel={id} />
        {isChannelId(id) && <ChannelSetup channel={id} />}
        {/* Whether there is a channel of another name, a host's own, its state tells. */}
        {(isChannelId(id) || documented !== undefined) && (
          <>
            <Card title="People and groups">
              <ChannelSenders channel={id} />
            </Card>
            <Card title="Routes">
              <ChannelRoutes channel={id} />
            </Card>
            <Card title="Messages">
              <ChannelMessages channel={id} />
            </Card>
          </>
        )}
      </div>
    </>
  )
}

/**
 * Asking the platform goes out into the network, so it is done when somebody wants it, and once: not by a query, which would
 * be read again with each message.
 */
function ChannelState({ channel }: { readonly channel: string }) {
  const known = usePlatformQuery('getChannelStatus', { params: { channel } })
  const probe = usePlatformMutation('getChannelStatus')
  const asked = probe.data
  return (
    <Card
      title="State"
      actions={
        <>
          {known.data && <ChannelBadge status={asked ?? known.data} />}
          <Button
            icon={<RadioTower aria-hidden />}
            isPending={probe.isPending}
            onPress={() => probe.mutate({ params: { channel }, query: { probe: 'true' } })}
          >
            Check connection
          </Button>
        </>
      }
    >
      <QueryView query={known}>
        {(status) => (
          <>
            {/* How many messages wait changes all the time. */}
            <ChannelFacts status={asked ? { ...asked, messages: status.messages } : status} />
            {asked && (
              <p className="muted small">
                Answer of the platform <RelativeTime value={new Date(probe.submittedAt).toISOString()} />.
              </p>
            )}
          </>
        )}
      </QueryView>
      {probe.error && <ErrorState error={probe.error} isInline />}
    </Card>
  )
}

function ChannelSetup({ channel }: { readonly channel: ChannelId }) {
  const settings = usePlatformQuery('getSettings')
  const status = usePlatformQuery('getChannelStatus', { params: { channel } }).data
  const [first, more] = settingsOfChannel(channel)
  return (
    <>
      <Card title="Setup">
        {/* Once the bot is there, the last step is what is left. */}
        {!status?.configured && (
          <ol className="first-steps">
            {firstSteps[channel].map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        )}
        {!polls.has(channel) && <WebhookPath channel={channel} />}
        <Disclosure title={`Full guide for ${channelNames[channel]}`}>
          <ChannelGuide channel={channel} />
        </Disclosure>
      </Card>
      <Card title="Settings">
        <QueryView query={settings}>
          {(view) => <SettingsForm settings={view} keys={first} more={more} />}
        </QueryView>
      </Card>
      {registersWebhook.has(channel) &&
        (polls.has(channel) ? (
          <Disclosure title="Use a webhook instead of polling">
            <WebhookPath channel={channel} />
            <SetWebhook channel={channel} />
          </Disclosure>
        ) : (
          <Card title="Webhook">
            <SetWebhook channel={channel} />
          </Card>
        ))}
    </>
  )
}

/** Where the platform calls this server. */
function WebhookPath({ channel }: { readonly channel: ChannelId }) {
  const path = `/api/channels/${channel}/webhook`
  return (
    <div className="row">
      <span>Address for the platform: your public address, then</span>
      <code className="foreign">{path}</code>
      <CopyButton text={path} label="Copy path" isIconOnly />
    </div>
  )
}

const load = (guide: () => Promise<{ readonly default: string }>) =>
  lazyPart(async () => {
    const { default: text } = await guide()
    return () => <Markdown text={text} />
  })

/** The guides of docs/channels: they come with the page, so that they fit the server and need no network. */
const guides = {
  channel_a: load(() => import('../../../../docs/channels/telegram.md?raw')),
  channel_b: load(() => import('../../../../docs/channels/slack.md?raw')),
  channel_c: load(() => import('../../../../docs/channels/discord.md?raw')),
  channel_d: load(() => import('../../../../docs/channels/bridge.md?raw')),
  channel_e: load(() => import('../../../../docs/channels/viber.md?raw')),
} satisfies Readonly<Record<ChannelId, unknown>>

/** The whole guide for a channel. */
function ChannelGuide({ channel }: { readonly channel: ChannelId }) {
  const Guide = guides[channel]
  return (
    <Suspense fallback={<LoadingState />}>
      <Guide />
    </Suspense>
  )
}

/** Tells the platform where to call. */
function SetWebhook({ channel }: { readonly channel: ChannelId }) {
  const [address, setAddress] = useState('')
  const register = usePlatformMutation('setChannelWebhook', {
    invalidates: ['getChannelStatus'],
    onSuccess: ({ webhook_url: url }) => showToast({ title: 'Webhook set', text: url }),
  })
  const { fields, rest } = toFieldErrors(register.error, ['base_url'])
  return (
    <SubmitForm
      onSubmit={() => register.mutate({ params: { channel }, body: { base_url: address.trim() } })}
      error={register.error}
    >
      <TextField
        label="Public address of this server"
        value={address}
        onChange={setAddress}
        errorMessage={fields.base_url}
        placeholder="https://agents.example.com"
        description="An https address without a path. The platform will call this address."
        inputMode="url"
      />
      {rest && (
        <div role="alert">
          <Notice tone="bad">{nameSettings(describeError(rest).text)}</Notice>
        </div>
      )}
      <div className="row" data-justify="end">
        <Button type="submit" isPending={register.isPending} isDisabled={address.trim() === ''}>
          Set webhook
        </Button>
      </div>
    </SubmitForm>
  )
}
