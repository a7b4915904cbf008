import { type Settings, toChannelId } from '@homeward/contract/agent-platform'
import type { StoredWait } from '../../store/ports/wait.ts'
import type { StoredChannelMessage } from '../../store/ports/channel-store.ts'
import type { StoredRun } from '../../store/ports/run-store.ts'
import type { NewTask } from '../../store/ports/task-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { isAllowedSender } from '../access/is-allowed-sender.ts'
import type { ChannelSet } from '../channel-set.ts'
import { mayReceive } from '../outbound/create-sending.ts'

/** A chat in which a call that waits is announced. */
export interface ApprovalPlace extends Pick<
  StoredChannelMessage,
  'channel' | 'conversationId' | 'sender' | 'target' | 'isGroup'
> {
  /** Whether the arguments may be shown: in a private chat of a person whom the operator has allowed. */
  readonly showsArguments: boolean
  /** Whether the run answers in this chat. */
  readonly isBlocking: boolean
}

/** What {@link findApprovalPlaces} reads. */
export interface ApprovalPlacesContext {
  readonly store: Pick<
    RuntimeStore,
    'findRun' | 'findTask' | 'findChat' | 'findChannelMessage' | 'findChannelSenders'
  >
  readonly settings: { read(): Promise<Settings> }
  readonly set: Pick<ChannelSet, 'current'>
}

/** Runs above a run that are looked at. */
const maxDepth = 10

/** Where a call or a question is announced: in the chat that it names, in the chat whose message its run answers, or else in those that get the report of its task. */
export async function findApprovalPlaces(
  context: ApprovalPlacesContext,
  { runId, to }: Pick<StoredWait, 'runId' | 'to'>,
): Promise<ApprovalPlace[]> {
  if (to) return findChats(context, [to])
  const root = await findRoot(context.store, runId)
  const message = root && (await findMessage(context.store, root))
  if (!message) return root ? findReportPlaces(context, root) : []
  const { channel, conversationId, sender, target, isGroup } = message
  const active = (await context.set.current()).get(channel)
  const showsArguments =
    !isGroup && active && sender ? await isAllowedSender(context, active.channel, sender.id) : false
  const place = { channel, conversationId, target, showsArguments, isBlocking: true }
  return [{ ...place, ...(sender && { sender }), ...(isGroup && { isGroup }) }]
}

/** The chats that get the report of the task that a run works on. */
async function findReportPlaces(
  context: ApprovalPlacesContext,
  { id, idempotencyKey = '' }: StoredRun,
): Promise<ApprovalPlace[]> {
  const taskId = /^task:(.+):\d+$/.exec(idempotencyKey)?.[1]
  const task = taskId === undefined ? undefined : await context.store.findTask(taskId)
  return task?.runId === id ? findChats(context, task.reportTo ?? []) : []
}

/** Those of the chats that may get messages. */
async function findChats(
  { store, set }: ApprovalPlacesContext,
  named: NonNullable<NewTask['reportTo']>,
): Promise<ApprovalPlace[]> {
  const channels = await set.current()
  const places = new Map<string, ApprovalPlace>()
  for (const { channel: name, conversationId } of named) {
    const channel = toChannelId(name) ?? name
    const active = channels.get(channel)
    const chat = active && (await store.findChat(channel, conversationId))
    if (!active || !chat || !(await mayReceive(store, active, chat))) continue
    const isGroup = chat.peer.kind === 'group'
    const place = { channel, conversationId: chat.id, target: chat.target, isBlocking: false }
    places.set(chat.id, { ...place, showsArguments: !isGroup, ...(isGroup && { isGroup }) })
  }
  return [...places.values()]
}

async function findRoot(
  store: ApprovalPlacesContext['store'],
  runId: string,
): Promise<StoredRun | undefined> {
  let run = await store.findRun(runId)
  for (let depth = 0; run?.parentRunId !== undefined && depth < maxDepth; depth += 1) {
    run = await store.findRun(run.parentRunId)
  }
  return run
}

/** The message that the task of a run answers. Metadata alone proves nothing: any caller may give them. */
async function findMessage(
  store: ApprovalPlacesContext['store'],
  { metadata, idempotencyKey = '' }: StoredRun,
): Promise<StoredChannelMessage | undefined> {
  const id = metadata?.['message_id']
  const message = typeof id === 'string' ? await store.findChannelMessage(id) : undefined
  const isOurs = message?.taskId !== undefined && idempotencyKey.startsWith(`task:${message.taskId}:`)
  return isOurs ? message : undefined
}
