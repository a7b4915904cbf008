import type { InboundReaction } from '../../ports/channel.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { judgeSender, toPeers } from '../access/judge-sender.ts'
import type { ActiveChannel } from '../channel-set.ts'
import { userOf } from '../inbox/to-acceptance.ts'

/** Newest messages of a channel that are searched for the one with a reaction. */
const maxSearched = 500
const pageSize = 100

/**
 * Takes the thumbs of people on answers as their feedback on the runs that wrote the answers. Reactions of people who may not
 * write, and on other messages, change nothing. The same reactions again change nothing either.
 */
export async function rateAnswers(
  { store, now }: { readonly store: RuntimeStore; readonly now: () => number },
  { channel: { id: channel }, policy }: Pick<ActiveChannel, 'channel' | 'policy'>,
  reactions: readonly InboundReaction[],
): Promise<void> {
  for (const reaction of reactions) {
    const peers = toPeers(channel, reaction)
    const both = [...(peers.group ? [peers.group] : []), peers.person]
    const ids = both.map(({ id }) => id)
    const stored = await store.findChannelSenders(channel, ids)
    if (judgeSender(peers, stored, policy).kind !== 'admitted') continue
    const runId = await findRunOf(store, channel, reaction)
    if (runId === undefined) continue
    // in a group each person has a feedback of their own
    const own = { runId, userId: userOf(channel, { person: peers.person }, stored) }
    const before = (await store.listFeedback([runId])).find(({ userId }) => userId === own.userId)
    const { rating, isRemoved = false } = reaction
    if (isRemoved !== (before?.rating === rating)) continue
    if (isRemoved) await store.deleteFeedback(own)
    else await store.saveFeedback({ ...own, rating, createdAt: new Date(now()).toISOString() })
  }
}

/** The run whose answer a message is. */
async function findRunOf(
  store: RuntimeStore,
  channel: string,
  { messageId, target }: InboundReaction,
): Promise<string | undefined> {
  const fields = Object.entries(target)
  let cursor: string | undefined
  for (let searched = 0; searched < maxSearched; searched += pageSize) {
    const page = await store.listChannelMessages({ channel }, { limit: pageSize, cursor })
    const found = page.rows.find(
      ({ parts, target: { data } }) =>
        parts.some(({ platformId }) => platformId === messageId) &&
        fields.every(([name, value]) => data[name] === value),
    )
    if (found) return found.taskId === undefined ? undefined : (await store.findTask(found.taskId))?.runId
    cursor = page.nextCursor
    if (cursor === undefined) return undefined
  }
  return undefined
}
