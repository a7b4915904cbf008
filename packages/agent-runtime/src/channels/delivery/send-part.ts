import type { StoredOutboundPart } from '../../store/ports/channel-store.ts'
import type { Channel, NoticeOptions, OutboundFile, ReplyTarget, SendOptions } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import { DeliveryStopped } from './delivery-progress.ts'
import { toSendError } from './next-step.ts'

/** A part to send. */
interface PartSend {
  readonly channel: Channel
  readonly target: ReplyTarget
  readonly part: StoredOutboundPart
  /** Number of the part, from 0. */
  readonly index: number
  readonly messageId: string
  readonly notice?: NoticeOptions
  /** Sent instead of the text. */
  readonly file?: OutboundFile
  /** Longest that it may take, in milliseconds. */
  readonly maxMs: number
}

/** Sends a part, whatever the channel does: it gets so much time and no more. Never rejects. */
export async function sendPart(
  { channel, target, part, index, messageId, notice, file, maxMs }: PartSend,
  signal: AbortSignal,
): Promise<{ readonly id?: string } | ChannelError | DeliveryStopped> {
  const limit = new AbortController()
  const { promise: over, resolve } = Promise.withResolvers<ChannelError | DeliveryStopped>()
  const stop = () => {
    limit.abort(signal.reason)
    resolve(signal.reason instanceof DeliveryStopped ? signal.reason : new DeliveryStopped('closed'))
  }
  const timer = setTimeout(() => {
    const error = new ChannelError(
      'uncertain',
      'Sending an answer failed: the platform did not confirm it in time, so the answer may or may not have arrived. Check the chat, then resend or discard it.',
    )
    limit.abort(error)
    resolve(error)
  }, maxMs)
  signal.addEventListener('abort', stop)
  const { text, plain, isPlain } = part
  const idempotencyKey = `${messageId}:${index}${isPlain ? ':plain' : ''}`
  const attempt = async () => {
    try {
      const out = isPlain ? { text: plain, plain } : { text, plain }
      const given = { signal: limit.signal, index, idempotencyKey, ...(notice && { notice }) }
      if (!file) return await channel.send(target, out, given)
      return await sendFile(channel, target, file, given)
    } catch (error) {
      return toSendError(error)
    }
  }
  try {
    return await Promise.race([attempt(), over])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** The platform took files when the outbox was written: its settings may have changed since then. */
async function sendFile(channel: Channel, target: ReplyTarget, file: OutboundFile, options: SendOptions) {
  if (channel.sendFile) return channel.sendFile(target, file, options)
  throw new ChannelError(
    'permanent',
    'Sending a file failed: the channel does not support files. Implement "sendFile".',
  )
}
