import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { Channels } from './channels.ts'
import { toChannelMessage } from './to-channel-message.ts'
import { boundedLimit } from '../paging/bounded-limit.ts'
import { readPage } from '../paging/read-page.ts'

/** What {@link createMessageViews} needs besides the store. */
export interface MessageViewsContext {
  /** The documented name of a channel. @throws {RuntimeError} `not_found` that begins with what was attempted */
  idOf(name: string, attempt: string): string
  readonly now: () => number
  /** Looks for answers to deliver. */
  wake(): void
}

const deciding = 'Resolving an answer'

/** Messages of channels, for people to see and to decide about. */
export function createMessageViews(
  store: RuntimeStore,
  { idOf, now, wake }: MessageViewsContext,
): Pick<Channels, 'messages' | 'resolve'> {
  return {
    async messages(name, { status, limit = 100, cursor } = {}, signal) {
      const channel = idOf(name, 'Listing the messages of a channel')
      const page = { limit: boundedLimit(limit, 500), cursor }
      const { rows, nextCursor } = await readPage('channel-messages', page, (part) =>
        store.listChannelMessages({ channel, status }, part, signal),
      )
      return { messages: rows.map(toChannelMessage), ...(nextCursor !== undefined && { nextCursor }) }
    },
    async resolve(name, messageId, decision) {
      const channel = idOf(name, deciding)
      const message = await store.findChannelMessage(messageId)
      if (message?.channel !== channel) {
        throw new RuntimeError(
          'not_found',
          `${deciding} failed: the channel has no message with this id. List its messages to find it.`,
        )
      }
      const at = new Date(now()).toISOString()
      const resolved = await store.resolveChannelMessage({ id: messageId, decision, now: at })
      if (!resolved) {
        const text = `${deciding} failed: the status of the answer must be failed or uncertain, got ${message.status}. List the messages again.`
        throw new RuntimeError('conflict', text)
      }
      wake()
      return toChannelMessage(resolved)
    },
  }
}
