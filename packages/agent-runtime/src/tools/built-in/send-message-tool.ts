import { toChannelId, type ReportTarget } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { Tool } from '../../ports/tool.ts'
import { textOf } from './read-arguments.ts'

/** Messages of agents to chats. */
export interface AgentMessages {
  /** Stores a message that is then sent once. The same key gives the same message. */
  send(
    channel: string,
    message: ReportTarget & { readonly text: string; readonly idempotency_key: string },
    isUntrusted?: boolean,
  ): Promise<{ readonly id: string }>
  /** The chat that a conversation belongs to; undefined if it belongs to none. */
  findChat(conversationId: string): Promise<ReportTarget | undefined>
}

/** Sends a message to a chat. @param chats Those that the run may write to; there is at least one. */
export function createSendMessageTool(send: AgentMessages['send'], chats: readonly ReportTarget[]): Tool {
  const list = chats.map(({ channel, conversation_id }) => JSON.stringify({ channel, conversation_id }))
  return {
    id: 'send_message',
    description: `Sends a message to a chat, in addition to your answer. Chats: ${[...new Set(list)].join(', ')}.`,
    inputSchema: {
      type: 'object',
      properties: {
        channel: { type: 'string', minLength: 1, maxLength: 64 },
        conversation_id: { type: 'string', minLength: 1, maxLength: 200 },
        text: { type: 'string', minLength: 1, maxLength: 100_000, description: 'In Markdown.' },
      },
      required: ['channel', 'conversation_id', 'text'],
      additionalProperties: false,
    },
    effects: 'external',
    idempotent: false,
    returnsUntrustedContent: false,
    async execute(args, { idempotencyKey, tainted }) {
      const target = { channel: textOf(args, 'channel'), conversation_id: textOf(args, 'conversation_id') }
      const text = textOf(args, 'text')
      const chat = chats.find((one) => nameOf(one) === nameOf(target))
      if (!chat) {
        const rule = `Use one of ${list.join(', ')}.`
        throw new RuntimeError(
          'forbidden',
          `Sending a message failed: the agent is not allowed to write to this chat. ${rule}`,
        )
      }
      if (text.trim() === '') {
        throw new RuntimeError(
          'validation_error',
          'Sending a message failed: "text" must not be empty. Write a text.',
        )
      }
      const key = `send_message ${idempotencyKey}`
      const { id } = await send(chat.channel, { ...chat, text, idempotency_key: key }, tainted)
      return { ok: true, message_id: id }
    },
  }
}

/** One text for a chat, whether its id begins with the name of the channel or not. */
function nameOf({ channel, conversation_id: id }: ReportTarget): string {
  const name = toChannelId(channel) ?? channel
  return id.startsWith(`${name}:`) ? id : `${name}:${id}`
}
