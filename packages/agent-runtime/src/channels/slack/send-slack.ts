import * as z from 'zod/mini'
import type { Channel, OutPart, ReplyTarget } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import type { SlackApi } from './slack-api.ts'

const Target = z.object({ channel: z.string(), thread_ts: z.optional(z.string()) })

const Sent = z.object({ ts: z.string() })

/** Posts one part, in the thread of the question. @throws {ChannelError} */
export async function sendSlack(
  api: SlackApi,
  { data }: ReplyTarget,
  part: OutPart,
  signal: AbortSignal,
): Promise<{ id?: string }> {
  const target = Target.safeParse(data)
  if (!target.success) {
    throw new ChannelError(
      'permanent',
      'Slack chat.postMessage failed: the message to answer names no channel.',
    )
  }
  const { json } = await api.call(
    'chat.postMessage',
    // a preview would fetch addresses that the model wrote
    { ...target.data, text: part.text, unfurl_links: false, unfurl_media: false },
    { signal },
  )
  const sent = Sent.safeParse(json)
  return sent.success ? { id: sent.data.ts } : {}
}

/**
 * Shows "is thinking…" in a thread for two minutes; the answer takes it away. A workspace where Slack refuses it is
 * not asked again. Never throws.
 */
export function createSlackTyping(api: SlackApi): NonNullable<Channel['typing']> {
  let isRefused = false
  return async ({ data }, signal) => {
    const target = Target.safeParse(data)
    if (isRefused || !target.success || target.data.thread_ts === undefined) return
    const { channel, thread_ts } = target.data
    try {
      const status = { channel_id: channel, thread_ts, status: 'is thinking…' }
      await api.call('assistant.threads.setStatus', status, { signal, timeoutMs: 4000 })
    } catch (error) {
      const passing = ['temporary', 'rate_limited']
      isRefused = ChannelError.is(error) && !passing.includes(error.code)
    }
  }
}
