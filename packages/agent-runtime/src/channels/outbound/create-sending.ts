import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { StoredChat } from '../../store/ports/channel-chat.ts'
import type { NewChannelMessage } from '../../store/ports/channel-store.ts'
import { repeatableId, usedKey } from '../../store/repeatable-id.ts'
import { toGivenFiles, toNewFiles } from '../../files/to-files.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { isAllowedPeer } from '../access/judge-sender.ts'
import type { ActiveChannel } from '../channel-set.ts'
import type { ChannelService } from '../create-channels.ts'
import { isSameFiles } from '../../files/is-same-files.ts'
import { toChannelMessage } from '../to-channel-message.ts'

type Store = Pick<RuntimeStore, 'findChat' | 'findChannelSenders' | 'sendChannelMessage'>

/** What {@link createSending} needs in addition to the store. */
interface SendingContext {
  /** A channel that is set up. @throws {RuntimeError} that begins with what was attempted */
  findActive(name: string, attempt: string): Promise<ActiveChannel>
  readonly now: () => number
  readonly createId: () => string
  /** Looks for messages to deliver. */
  wake(): void
}

const attempt = 'Sending a message'

/** Messages that start with the agent. */
export function createSending(
  store: Store,
  { findActive, now, createId, wake }: SendingContext,
): Pick<ChannelService, 'send' | 'checkReportTo'> {
  async function findChat(name: string, conversationId: string, doing: string) {
    const active = await findActive(name, doing)
    const channel = active.channel.id
    const chat = await store.findChat(channel, conversationId)
    if (!chat) {
      // also the chat of a stranger who only got a code: it is not stored
      const fix = 'Send a message from the chat to the agent first.'
      throw new RuntimeError(
        'forbidden',
        `${doing} failed: ${channel} has no conversation with this id. ${fix}`,
      )
    }
    if (!(await mayReceive(store, active, chat))) {
      const fix = `Allow it at /api/channels/${channel}/senders.`
      throw new RuntimeError('forbidden', `${doing} failed: the ${chat.peer.kind} is not allowed. ${fix}`)
    }
    return chat
  }

  return {
    async checkReportTo(targets, doing) {
      for (const [index, { channel, conversation_id: conversationId }] of targets.entries()) {
        try {
          await findChat(channel, conversationId, doing)
        } catch (error) {
          if (!RuntimeError.is(error) || error.code === 'closed' || error.code === 'storage_error')
            throw error
          const fact = error.message.slice(`${doing} failed: `.length)
          const message = `${doing} failed: "report_to[${index}]": ${fact}`
          throw new RuntimeError('validation_error', message, { cause: error })
        }
      }
    },
    async send(
      name,
      { conversation_id: conversationId, text, files = [], idempotency_key: key },
      isUntrusted = false,
    ) {
      const chat = await findChat(name, conversationId, attempt)
      const { channel } = chat
      const wanted: NewChannelMessage = {
        id: key === undefined ? createId() : repeatableId(key, ['channel send']),
        channel,
        conversationId: chat.id,
        text,
        answer: text.toWellFormed(),
        target: chat.target,
        ...(isUntrusted && { isUntrusted }),
        receivedAt: new Date(now()).toISOString(),
      }
      const { files: sentFiles, contents } = await toNewFiles(await toGivenFiles(files, refusePath), createId)
      const given = sentFiles.length > 0 ? { ...wanted, sentFiles, contents } : wanted
      const { message, created } = await store.sendChannelMessage(given)
      if (!created && !isSame(message, given)) throw usedKey(attempt, 'message')
      wake()
      return toChannelMessage(message)
    },
  }
}

/** Whether the agent may write to a chat first: its person or its group is allowed, and not only let in because all are. */
export async function mayReceive(
  store: Pick<RuntimeStore, 'findChannelSenders'>,
  { channel, policy }: ActiveChannel,
  { peer }: Pick<StoredChat, 'peer'>,
): Promise<boolean> {
  return isAllowedPeer(peer, await store.findChannelSenders(channel.id, [peer.id]), policy)
}

async function refusePath(): Promise<never> {
  const rule = 'A message has no workspace. Send the bytes as base64 in "data".'
  throw new RuntimeError('validation_error', `${attempt} failed: a file has "path". ${rule}`)
}

function isSame(known: NewChannelMessage, wanted: NewChannelMessage): boolean {
  const { channel, conversationId, text, sentFiles } = wanted
  return (
    known.channel === channel &&
    known.conversationId === conversationId &&
    known.text === text &&
    isSameFiles(known.sentFiles, sentFiles)
  )
}
