import type { ChannelId } from '@homeward/contract/agent-platform'
import { Suspense } from 'react'
import { lazyPart } from '../../components/states/lazy-part.ts'
import { LoadingState } from '../../components/states/loading-state.tsx'
import { Markdown } from '../../components/text/markdown.tsx'

const load = (guide: () => Promise<{ readonly default: string }>) =>
  lazyPart(async () => {
    const { default: text } = await guide()
    return () => <Markdown text={text} />
  })

/** The guides of docs/channels: they come with the page, so that they fit the server and need no network. */
const guides = {
  channel_a: load(() => import('../../../../../docs/channels/telegram.md?raw')),
  channel_b: load(() => import('../../../../../docs/channels/slack.md?raw')),
  channel_c: load(() => import('../../../../../docs/channels/discord.md?raw')),
  channel_d: load(() => import('../../../../../docs/channels/bridge.md?raw')),
  channel_e: load(() => import('../../../../../docs/channels/viber.md?raw')),
} satisfies Readonly<Record<ChannelId, unknown>>

/** The whole guide for a channel. */
export function ChannelGuide({ channel }: { readonly channel: ChannelId }) {
  const Guide = guides[channel]
  return (
    <Suspense fallback={<LoadingState />}>
      <Guide />
    </Suspense>
  )
}
