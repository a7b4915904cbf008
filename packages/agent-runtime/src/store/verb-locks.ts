import type { Locks } from '@homeward/kit/postgres'
import type { ApprovalNoticeInput, ApprovalNoticeClose } from './ports/approval-notice.ts'
import type { RememberedFilter } from './ports/remembered-call.ts'
import type { WaitSettlement } from './ports/wait.ts'
import type { BudgetReservation } from './ports/budget-store.ts'
import type { AcceptanceBatch, MessageAcceptance } from './ports/channel-acceptance.ts'
import type { LoadedInput } from './ports/channel-input.ts'
import type { ConversationAppend } from './ports/conversation-store.ts'
import type { ChannelPeer } from './ports/channel-sender.ts'
import type { DeliveryWrite, NewChannelMessage } from './ports/channel-store.ts'
import type { NewRunInput } from './ports/run-input-store.ts'
import type { NewRun, RunFinish } from './ports/run-store.ts'
import type { NewTask } from './ports/task-store.ts'
import { filesOf } from './files-of.ts'
import { toSubjectKey } from './sql/tasks/task-row.ts'

// What each verb has to itself. Locks of a whole subject (`runs`, `tasks`, `budgets`) are for verbs that look at all of
// it; the others share them.

/** A write that cannot get into the way of any other. */
export const none: Locks = {}

/** Events of their own: they keep the order in which they were given. */
export const eventLocks: Locks = { joint: ['journal'] }

/** A change of one agent, which may end its schedules. */
export function agentLocks(id: string): Locks {
  return { alone: [`agent ${id}`] }
}

/** A change of one graph. */
export function graphLocks(id: string): Locks {
  return { alone: [`graph ${id}`] }
}

/** A change of one conversation. */
export function conversationLocks(id: string): Locks {
  return { alone: [`conversation ${id}`] }
}

/** Messages for a conversation: the row of the conversation numbers them. */
export function appendLocks(id: string): Locks {
  return { joint: [`conversation ${id}`] }
}

/** The end of a conversation, with files: nobody may add another file with the same bytes at that moment. */
export function endConversationLocks(id: string): Locks {
  return { alone: [`conversation ${id}`, 'files'] }
}

/** New files. */
export const fileLocks: Locks = { shared: ['files'] }

/** A change of the memories: they share sums. */
export const memoryLocks: Locks = { joint: ['memories'] }

/** A new run, which another one with the same key may be already. */
export function newRunLocks(run: NewRun & { readonly question?: ConversationAppend }): Locks {
  const { idempotencyKey: key, question } = run
  const hasFiles = run.kind === 'agent' && filesOf(run).length > 0
  return {
    ...(key !== undefined && { alone: [`run key ${key}`] }),
    ...(question && appendLocks(question.conversationId)),
    ...(hasFiles && fileLocks),
  }
}

/** A change of one run. */
export function runLocks(id: string): Locks {
  return { alone: [`run ${id}`], shared: ['runs'] }
}

/** The end of a run. */
export function finishLocks({ runId, conversation, report }: RunFinish): Locks {
  const joint = conversation === undefined ? [] : [`conversation ${conversation.conversationId}`]
  if (!report) return { ...runLocks(runId), joint }
  const { input, task } = report
  const all = [runLocks(runId), ...(input ? [runLocks(input.runId)] : []), newTaskLocks(task)]
  return {
    alone: [...new Set(all.flatMap(({ alone = [] }) => alone))],
    shared: [...new Set(all.flatMap(({ shared = [] }) => shared))],
    joint: [...new Set([...joint, ...all.flatMap((locks) => locks.joint ?? [])])],
  }
}

/** The end of a wait; a decision that is remembered changes what is known of the agent. */
export function settleWaitLocks({ runId, remember }: WaitSettlement): Locks {
  const own = runLocks(runId)
  return remember ? { ...own, alone: [...(own.alone ?? []), rememberKey(remember.agentId)] } : own
}

/** A change of the remembered decisions of an agent. */
export const rememberLocks = ({ agentId }: RememberedFilter): Locks => ({ alone: [rememberKey(agentId)] })

const rememberKey = (agentId: string) => `remembered ${agentId}`

/** An announcement of a call: a decision about it may come at the same time. */
export const announceLocks = ({ runId }: ApprovalNoticeInput): Locks => runLocks(runId)

/** The end of an announcement. */
export const closeNoticeLocks = ({ runId, approvalId, chat }: ApprovalNoticeClose): Locks => ({
  alone: [`notice ${runId} ${approvalId} ${chat}`],
})

/** Taking over runs: nobody may write a step of one at that moment. */
export const claimRunsLocks: Locks = { alone: ['runs'] }

/** Changes of many runs at once. */
export const manyRunsLocks: Locks = { joint: ['runs'] }

/** A new task: it wakes the lane of its subject. */
export function newTaskLocks({ subject, idempotencyKey, serialKey, files }: NewTask): Locks {
  return {
    alone: [
      ...(idempotencyKey === undefined ? [] : [`task key ${idempotencyKey}`]),
      ...(serialKey === undefined ? [] : [`serial ${serialKey}`]),
    ],
    joint: [`lane ${toSubjectKey(subject)}`],
    shared: files === undefined ? ['tasks'] : ['tasks', 'files'],
  }
}

/** A message to a run, with its task: the run may end at the same time. */
export function inputLocks({ runId, task }: NewRunInput): Locks {
  const [run, own] = [runLocks(runId), task ? newTaskLocks(task) : {}]
  return {
    ...own,
    alone: [...(run.alone ?? []), ...(own.alone ?? [])],
    shared: [...(run.shared ?? []), ...(own.shared ?? [])],
  }
}

/** A change of one signal. */
export const signalLocks = (id: string): Locks => ({ alone: [`signal ${id}`] })

/** A change of one stored response. */
export const responseLocks = (id: string): Locks => ({ alone: [`response ${id}`] })

/** The end of an attempt, which may wake its lane. */
export function settleTaskLocks(id: string): Locks {
  return { alone: [`task ${id}`], joint: ['tasks'] }
}

/** A change of one row of a task. */
export function taskRowLocks(id: string): Locks {
  return { alone: [`task ${id}`], shared: ['tasks'] }
}

/** Taking tasks, taking them back, renewing them, cancelling one: no other write may come between the look and the change. */
export const queueLocks: Locks = { alone: ['tasks'] }

/** A reservation: whether it fits is seen before it is drawn. */
export function reserveLocks({ id, accounts }: BudgetReservation): Locks {
  const keys = new Set(accounts.map(({ key }) => `budget ${key}`))
  return { alone: [`reservation ${id}`, ...keys], shared: ['budgets'] }
}

/** What a reservation came to; it alone knows its accounts. */
export function settleBudgetLocks(id: string): Locks {
  return { alone: [`reservation ${id}`], joint: ['budgets'] }
}

/** A change of schedules. */
export const scheduleLocks: Locks = { alone: ['schedules'] }

/** Fires of schedules, which make tasks. */
export const fireLocks: Locks = { alone: ['schedules'], joint: ['tasks'] }

/** A change of the access tokens: there may be only so many. */
export const tokenLocks: Locks = { alone: ['tokens'] }

/** Letting go of what is old: one process at a time. */
export const pruneLocks: Locks = { alone: ['prune', 'files'] }

/** Beginning a task anew, which may be old. */
export const retryTaskLocks: Locks = { alone: ['tasks', 'prune'] }

/** A decision about a sender: no message of it may come between the look and the change. */
export function senderLocks({ channel, id }: Pick<ChannelPeer, 'channel' | 'id'>): Locks {
  return { alone: [senderKey(channel, id)] }
}

/** One code links one sender, however many send it at once. */
function linkKeys(links: MessageAcceptance['links']): readonly string[] {
  if (links === undefined) return []
  const { peer, change } = links
  const both = [peer, ...(change?.code ? [change.code.sender] : [])]
  return both.map(({ channel, id }) => senderKey(channel, id))
}

const senderKey = (channel: string, id: string) => `channel sender ${channel} ${id}`

/** New messages with their tasks; another one with the same keys may come at the same time. Lists tasks' locks too. */
export function acceptLocks({ acceptances, polled }: AcceptanceBatch): Locks {
  const tasks = acceptances.flatMap(({ entry }) =>
    entry?.task === undefined ? [] : [newTaskLocks(entry.task)],
  )
  const runs = acceptances.flatMap(({ step, steers }) =>
    [step ?? [], steers ?? []].flat().map(({ runId }) => runLocks(runId)),
  )
  const own = acceptances.flatMap(({ keys, senders = [], knock, chat, routes, links }) => [
    ...keys.map((key) => `channel key ${key}`),
    ...senders.map(({ peer }) => senderKey(peer.channel, peer.id)),
    ...linkKeys(links),
    ...(knock === undefined ? [] : [`channel knocks ${knock.peer.channel}`]),
    ...(chat === undefined ? [] : [`channel chat ${chat.id}`]),
    ...(routes === undefined ? [] : (routeLocks(routes.channel).alone ?? [])),
  ])
  const shared = new Set(['tasks', ...[...tasks, ...runs].flatMap((locks) => locks.shared ?? [])])
  // cancelling a task looks at it before it changes it: see `queueLocks`
  const cancels = acceptances.some((acceptance) => acceptance.cancels !== undefined)
  if (cancels) shared.delete('tasks')
  return {
    alone: [
      ...new Set([
        ...own,
        ...[...tasks, ...runs].flatMap(({ alone = [] }) => alone),
        ...(polled === undefined ? [] : [`poll ${polled.source}`]),
        ...(cancels ? ['tasks'] : []),
      ]),
    ],
    joint: [...new Set(tasks.flatMap(({ joint = [] }) => joint))],
    shared: [...shared],
  }
}

/** A message that starts with the agent, which another one with its id may be already. */
export function sendLocks({ id, sentFiles }: NewChannelMessage): Locks {
  return { alone: [`channel send ${id}`], ...(sentFiles && fileLocks) }
}

/** A change of webhooks, and a claim of what they wait for. */
export const webhookLocks: Locks = { alone: ['webhooks'] }

/** A change of the routes of a channel. */
export function routeLocks(channel: string): Locks {
  return { alone: [`channel routes ${channel}`] }
}

/** Taking answers to deliver, and renewing them: who writes one at that moment would write its old lease. */
export const deliveriesLocks: Locks = { alone: ['deliveries'] }

/** How a delivery goes, which its conversation may get. */
export const saveDeliveryLocks = ({ id, said }: DeliveryWrite): Locks => ({
  ...deliveryLocks(id),
  ...(said && appendLocks(said.conversationId)),
})

/** A change of one delivery. */
export function deliveryLocks(id: string): Locks {
  return { alone: [`delivery ${id}`], shared: ['deliveries'] }
}

/** What a message has become, in its task too. */
export function loadedInputLocks({ messageId, taskId }: LoadedInput): Locks {
  const [task, delivery] = [taskRowLocks(taskId), deliveryLocks(messageId)]
  return {
    alone: [...(task.alone ?? []), ...(delivery.alone ?? [])],
    shared: [...(task.shared ?? []), ...(delivery.shared ?? [])],
  }
}

/** Asking one source for messages. */
export function pollLocks(source: string): Locks {
  return { alone: [`poll ${source}`] }
}
