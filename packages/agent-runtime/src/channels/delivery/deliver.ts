import type { Delivery as StoredDelivery } from '../../store/ports/channel-store.ts'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import type { Channel, NoticeOptions, OutboundFile } from '../../ports/channel.ts'
import type { FileReference } from '../../ports/file.ts'
import type { ConversationAppend } from '../../store/ports/conversation-store.ts'
import { ChannelError } from '../channel-error.ts'
import { createDeliveryProgress, DeliveryStopped } from './delivery-progress.ts'
import type { DeliverContext, DeliveryProgress } from './delivery-progress.ts'
import { nextStep } from './next-step.ts'
import { sendPart } from './send-part.ts'
import { filesOf, toOutbox, toText } from './to-outbox.ts'

const giveUpMs = 10_000
/** How many times as long the send of a file may take. */
const slowerWithFile = 4
const brokeOff = () =>
  new ChannelError(
    'uncertain',
    'Sending an answer failed: the server stopped while sending, so the answer may or may not have arrived. Check the chat, then resend or discard it.',
  )

/** An answer to deliver. */
export interface PlacedDelivery extends StoredDelivery {
  /** Whether the person or the group may not get messages that start with the agent. */
  readonly isRefused?: boolean
  /** Whose conversation gets what is sent, and whether that may quote a stranger; absent for an answer, which it has. */
  readonly place?:
    | (Pick<ConversationAppend, 'conversationId' | 'agentId' | 'userId'> & { readonly isUntrusted: boolean })
    | undefined
}

interface Work {
  readonly context: DeliverContext
  readonly channel: Channel
  readonly delivery: PlacedDelivery
  readonly progress: DeliveryProgress
  readonly signal: AbortSignal
}

/**
 * Delivers one answer, or as much of it as goes: `sending` is written before a part leaves, `sent` once it has arrived.
 *
 * @param signal aborts with {@link DeliveryStopped}.
 * @throws {DeliveryStopped} when somebody else has the delivery.
 */
export async function deliver(
  context: DeliverContext,
  channel: Channel,
  delivery: PlacedDelivery,
  signal: AbortSignal,
): Promise<void> {
  const progress = createDeliveryProgress(context, delivery)
  const work: Work = { context, channel, delivery, progress, signal }
  const { message } = delivery
  let { tries } = message
  let index = await prepare(work)
  while (index !== undefined) {
    const part = progress.parts[index]
    if (!part) return
    if (signal.aborted) return putOff(work, index, tries)
    const notice = await toNoticeOptions(work, index)
    const file = await loadFile(work, part.file)
    const head = { channel, target: message.target, part, index, messageId: message.id }
    const maxMs = context.maxSendMs * (file ? slowerWithFile : 1)
    const result = ChannelError.is(file)
      ? file
      : await sendPart({ ...head, ...(notice && { notice }), ...(file && { file }), maxMs }, signal)
    if (result instanceof DeliveryStopped) return stopped(work, index, tries, result)
    if (ChannelError.is(result)) {
      if (!(await goesOn(work, index, tries, result))) return
    } else {
      tries = 0
      index = await sent(work, index, result.id)
    }
  }
}

/** What the send of a part does in addition to sending its text; undefined for the part of an answer. */
async function toNoticeOptions(
  { context, channel, delivery, progress }: Work,
  index: number,
): Promise<NoticeOptions | undefined> {
  const { notice } = delivery.message
  if (!notice) return undefined
  const { buttons, replaces: earlierId } = notice
  const isLast = index + 1 === progress.parts.length
  const mayReplace = earlierId !== undefined && channel.canReplace && isLast && index === 0
  const earlier = mayReplace
    ? await whileStoreFails(context, () => context.store.findChannelMessage(earlierId))
    : undefined
  const replaces = earlier?.parts.at(-1)?.platformId
  return { ...(isLast && buttons && { buttons }), ...(replaces !== undefined && { replaces }) }
}

/** Reads the file of a part. @returns undefined for a part without one */
async function loadFile({ context }: Work, file: FileReference | undefined) {
  if (!file) return undefined
  const stored = await whileStoreFails(context, () => context.store.findFile(file.id))
  if (!stored)
    return new ChannelError('permanent', 'Sending a file failed: the file was deleted. Run the task again.')
  const { name, media_type: mediaType, content } = stored
  return { name, mediaType, content } satisfies OutboundFile
}

/** Writes what is sent first. @returns its number; undefined when there is nothing to send. */
async function prepare(work: Work): Promise<number | undefined> {
  const { channel, delivery, progress } = work
  if (progress.parts.length > 0) {
    const next = progress.parts.findIndex(({ state }) => state !== 'sent')
    if (next === -1) await progress.save([], { kind: 'ended', status: 'delivered' })
    // a process has died: nobody knows whether it left
    else if (progress.parts[next]?.state === 'sending' && !mayRepeat(work, next)) {
      await end(work, 'uncertain', brokeOff())
      return undefined
    } else await progress.save([{ index: next, state: 'sending' }])
    return next === -1 ? undefined : next
  }
  const outbox = delivery.isRefused
    ? new ChannelError(
        'permanent',
        'Sending a message failed: the person or group is not allowed to use the channel. Allow it on the page of the channel.',
      )
    : toOutbox(channel, delivery)
  if (ChannelError.is(outbox)) {
    await end(work, 'failed', outbox)
    return undefined
  }
  await progress.begin(outbox, [{ index: 0, state: 'sending' }], toSaid(work))
  return 0
}

/** A message that the agent has begun with is one of its conversation: the person may answer to it. */
function toSaid({ delivery, context }: Work): ConversationAppend | undefined {
  if (!delivery.place) return undefined
  const { isUntrusted, ...place } = delivery.place
  const names = filesOf(delivery).map(({ name }) => `[File: ${name}]`)
  const text = [toText(delivery, filesOf(delivery)), ...names].filter(Boolean).join('\n\n')
  return {
    ...place,
    messages: [
      {
        id: delivery.message.id,
        message: {
          role: 'assistant',
          parts: [{ type: 'text', text }],
          ...(isUntrusted && { untrusted: true }),
        },
      },
    ],
    now: new Date(context.now()).toISOString(),
  }
}

/** Writes that a part has arrived. @returns the number of the next one; undefined when nothing more is sent now. */
async function sent(
  { progress, signal, context }: Work,
  index: number,
  id: string | undefined,
): Promise<number | undefined> {
  const change = { index, state: 'sent', ...(id !== undefined && { platformId: id }) } as const
  if (index + 1 === progress.parts.length) {
    await progress.save([change], { kind: 'ended', status: 'delivered' })
    return undefined
  }
  if (signal.aborted) {
    await progress.save([change], { kind: 'later', at: timeOf(context.now()), tries: 0 })
    return undefined
  }
  await progress.save([change, { index: index + 1, state: 'sending' }])
  return index + 1
}

/** Writes what becomes of a part that was refused or failed. @returns whether it is sent again at once. */
async function goesOn(work: Work, index: number, tries: number, error: ChannelError): Promise<boolean> {
  const { context, progress } = work
  const part = progress.parts[index]
  if (!part) return false
  const step = nextStep(error, part, tries, { mayRepeat: mayRepeat(work, index), random: context.random })
  if (step.kind === 'plain') {
    await progress.save([{ index, state: 'sending', isPlain: true }])
    return true
  }
  if (step.kind === 'later') {
    const at = timeOf(context.now() + step.afterMs)
    await progress.save([{ index, state: 'pending' }], { kind: 'later', at, tries: tries + 1 })
  } else await end(work, step.status, error, index)
  return false
}

/** The process stops in the midst of a send, or has lost it. */
async function stopped(work: Work, index: number, tries: number, { why }: DeliveryStopped): Promise<void> {
  if (why === 'closed' && !mayRepeat(work, index)) return end(work, 'uncertain', brokeOff())
  await putOff(work, index, tries)
}

/** Leaves a part that has not left, or may leave twice, to the next start or to another process. */
async function putOff({ context, progress, signal }: Work, index: number, tries: number): Promise<void> {
  // who has it now says how it goes, and may be this very process
  if (signal.reason instanceof DeliveryStopped && signal.reason.why === 'lost') return
  const at = timeOf(context.now())
  await progress.save([{ index, state: 'pending' }], { kind: 'later', at, tries })
}

async function end(
  work: Work,
  status: 'failed' | 'uncertain',
  { code, message }: ChannelError,
  failedIndex?: number,
): Promise<void> {
  const { progress } = work
  const isRefused = status === 'failed' && failedIndex !== undefined
  const changes = isRefused ? [{ index: failedIndex, state: 'pending' } as const] : []
  await progress.save(changes, { kind: 'ended', status, failure: { code, message } })
  if (status === 'failed' && progress.parts.every(({ state }) => state === 'pending')) await giveUp(work)
}

/** Takes away what waits at the platform for an answer. */
async function giveUp({ channel, delivery, signal }: Work): Promise<void> {
  if (!channel.giveUp) return
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), giveUpMs)
  try {
    await channel.giveUp(delivery.message.target, AbortSignal.any([limit.signal, signal]))
  } catch {
    // there is nothing more to be done
  } finally {
    clearTimeout(timer)
  }
}

function mayRepeat({ channel, delivery }: Work, index: number): boolean {
  return channel.isRepeatable ? channel.isRepeatable(delivery.message.target, index) : channel.isIdempotent
}

const timeOf = (ms: number) => new Date(ms).toISOString()
