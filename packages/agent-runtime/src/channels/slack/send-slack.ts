import * as z from 'zod/mini'
import type { Channel, MessageButton, OutboundPart, ReplyTarget, SendOptions } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import { pressPrefix } from './parse-slack-press.ts'
import type { SlackApi } from './slack-api.ts'

const Target = z.object({ channel: z.string(), thread_ts: z.optional(z.string()) })

const Sent = z.object({ ts: z.string() })

/** Posts one part, in the thread of the question. @throws {ChannelError} */
export async function sendSlack(
  api: SlackApi,
  { data }: ReplyTarget,
  part: OutboundPart,
  { signal, notice = {} }: Pick<SendOptions, 'signal' | 'notice'>,
): Promise<{ id?: string }> {
  const target = Target.safeParse(data)
  if (!target.success) {
    throw new ChannelError(
      'permanent',
      'Slack chat.postMessage failed: the incoming message does not name a channel.',
    )
  }
  const { buttons, replaces } = notice
  if (
    replaces !== undefined &&
    (await replaceSlack(api, { channel: target.data.channel, ts: replaces }, part, signal))
  ) {
    return { id: replaces }
  }
  const blocks = buttons && { blocks: toBlocks(part.text, buttons) }
  // a preview would fetch addresses that the model wrote
  const message = { ...target.data, text: part.text, ...blocks, unfurl_links: false, unfurl_media: false }
  const { json } = await api.call('chat.postMessage', message, { signal })
  const sent = Sent.safeParse(json)
  return sent.success ? { id: sent.data.ts } : {}
}

/** Errors of `chat.update` after which the chat gets a new message. */
const cannotReplace = /\b(?:message_not_found|cant_update_message|edit_window_closed|is_inactive)\b/

/** Replaces a message and takes its buttons away. @returns false if Slack does not. */
async function replaceSlack(
  api: SlackApi,
  place: { readonly channel: string; readonly ts: string },
  part: OutboundPart,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await api.call('chat.update', { ...place, text: part.text, blocks: [] }, { signal })
    return true
  } catch (error) {
    if (ChannelError.is(error) && cannotReplace.test(error.message)) return false
    throw error
  }
}

/** Most characters of a section. */
const maxSection = 3000

/** A text with buttons below it: with blocks, Slack shows the text in notifications only. */
function toBlocks(text: string, buttons: readonly MessageButton[]): object[] {
  const count = Math.ceil(text.length / maxSection)
  const sections = Array.from({ length: count }, (_, index) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: text.slice(index * maxSection, (index + 1) * maxSection).toWellFormed() },
  }))
  const elements = buttons.map(({ label, command, style }, index) => ({
    type: 'button',
    action_id: `${pressPrefix}${index}`,
    text: { type: 'plain_text', text: label },
    value: command,
    ...(style && { style: style === 'positive' ? 'primary' : 'danger' }),
  }))
  return [...sections, { type: 'actions', elements }]
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
