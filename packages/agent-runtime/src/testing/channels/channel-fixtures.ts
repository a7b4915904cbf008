import type { ConversationStore } from '../../store/ports/conversation-store.ts'
import type { MessageAcceptance } from '../../store/ports/channel-acceptance.ts'
import type {
  Delivery,
  DeliveryClaim,
  DeliveryWrite,
  NewChannelMessage,
  StoredChannelMessage,
} from '../../store/ports/channel-store.ts'
import type { ChannelStore } from '../../store/ports/channel-store.ts'
import type { FileStore } from '../../store/ports/file-store.ts'
import type { Retention } from '../../store/ports/retention.ts'
import type { NewTask } from '../../store/ports/task-store.ts'
import { at, oddText } from '../conformance-fixtures.ts'
import type { JournaledTasks } from '../tasks/task-fixtures.ts'
import { claimOf, outcomes, settlementOf, taskOf } from '../tasks/task-fixtures.ts'

/** Store parts that a channel writes to. */
export type ChannelConformanceStore = ChannelStore &
  JournaledTasks &
  Retention &
  Pick<FileStore, 'findFile'> &
  Pick<ConversationStore, 'listMessages'>

/** A message of conversation `c1` of channel `one`, which came in at second 0, and its task. */
export function messageOf(id: string, changes: Partial<NewChannelMessage> = {}): NewChannelMessage {
  return {
    id,
    channel: 'one',
    conversationId: 'c1',
    sender: { id: 's1', name: oddText },
    text: oddText,
    target: { expiresAtMs: 5, data: { chat: 1, deep: { list: [oddText] } } },
    taskId: `task ${id}`,
    receivedAt: at(0),
    ...changes,
  }
}

/** Who stands for a chat. */
const peerOfChat = { kind: 'person', id: 's1' } as const

/** A message to be kept, with the key `key <id>` until second 1000. */
export function acceptanceOf(
  id: string,
  changes: Partial<NewChannelMessage> = {},
  particulars: Partial<MessageAcceptance> & { readonly task?: Partial<NewTask> } = {},
): MessageAcceptance {
  const { task, ...rest } = particulars
  const message = messageOf(id, changes)
  const { taskId = `task ${id}`, conversationId, receivedAt } = message
  return {
    keys: [`key ${id}`],
    keysUntil: at(1000),
    entry: {
      message,
      task: taskOf(taskId, { conversationId, serialKey: conversationId, createdAt: receivedAt, ...task }),
    },
    chat: { id: conversationId, channel: message.channel, target: { data: { chat: id } }, peer: peerOfChat },
    journal: [{ type: 'channel.message', timestamp: at(0), data: { message_id: id } }],
    ...rest,
  }
}

/** Keeps messages, in their order. @returns for each whether it is new */
export async function accept(
  store: ChannelStore,
  ...acceptances: readonly MessageAcceptance[]
): Promise<readonly boolean[] | undefined> {
  return areKept(await store.acceptMessages({ now: at(0), acceptances }))
}

/** For each message whether it is new; undefined if nothing was kept. */
export function areKept(
  outcomes: Awaited<ReturnType<ChannelStore['acceptMessages']>>,
): readonly boolean[] | undefined {
  return outcomes === 'changed' ? undefined : outcomes?.map(({ kind }) => kind === 'kept')
}

/** Runs the tasks that can run, and ends them, until there are none. */
export async function endTasks(store: ChannelConformanceStore): Promise<void> {
  for (;;) {
    const tasks = await store.claimTasks(claimOf({ limit: 50 }))
    if (tasks.length === 0) return
    for (const { id } of tasks) await store.settleTask(settlementOf(id, outcomes.completed))
  }
}

/** A claim of owner `d1` at second 10, with a lease until second 30. */
export function deliveryClaim(
  changes: Partial<DeliveryClaim> & { readonly owner?: string } = {},
): DeliveryClaim {
  const { owner = 'd1', ...rest } = changes
  return { lease: { owner, until: at(30) }, now: at(10), channels: [{ channel: 'one', limit: 9 }], ...rest }
}

/** A write of owner `d1` at second 11. */
export function deliveryWrite(id: string, changes: Partial<DeliveryWrite> = {}): DeliveryWrite {
  return { id, owner: 'd1', now: at(11), journal: [], ...changes }
}

/** Two parts of an answer. */
export const outbox = [
  { text: `<b>${oddText}</b>`, plain: oddText },
  {
    text: '',
    plain: '',
    file: { id: 'f1', name: oddText, media_type: 'image/png', bytes: 2, sha256: 'a'.repeat(64) },
  },
]

/** Keeps a message, ends its task and takes its answer. */
export async function takeOne(
  store: ChannelConformanceStore,
  id: string,
  changes: Partial<NewChannelMessage> = {},
): Promise<Delivery | undefined> {
  await accept(store, acceptanceOf(id, changes))
  await endTasks(store)
  return (await store.claimDeliveries(deliveryClaim())).find(({ message }) => message.id === id)
}

/** Ids of the messages of deliveries. */
export const messageIds = (deliveries: readonly { readonly message: StoredChannelMessage }[]) =>
  deliveries.map(({ message }) => message.id)
