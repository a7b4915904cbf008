import { readRunLists } from './runs/read-run-lists.ts'
import { announcementOf } from './channels/approval-notice-conformance.ts'
import { loadedOf } from './channels/channel-file-conformance.ts'
import { decisionOf, knockOf, peerOf } from './channels/channel-sender-conformance.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import {
  accept,
  acceptanceOf,
  deliveryClaim,
  deliveryWrite,
  endTasks,
  outbox,
} from './channels/channel-fixtures.ts'
import { sentOf } from './channels/channel-chat-conformance.ts'
import {
  appendOf,
  at,
  finishOf,
  graphRunOf,
  intentOf,
  leaseOf,
  memoryOf,
  outcomeOf,
  rememberedOf,
  runOf,
  stepOf,
  verdictOf,
  waitingStepOf,
} from './conformance-fixtures.ts'
import {
  addTasks,
  claimOf,
  endRun,
  outcomes,
  scheduledOf,
  settlementOf,
  startRun,
  taskEventOf,
  taskOf,
} from './tasks/task-fixtures.ts'

const page = { limit: 1 }

/** Asks everything of a store, for its statements, that runs, conversations, memories, budgets and the journal may ask. */
export async function useRuns(store: RuntimeStore): Promise<void> {
  for (const id of ['r1', 'r2', 'r3']) await store.insertRun(runOf(id, { idempotencyKey: id }), leaseOf(), [])
  for (const isRepeat of [false, true]) {
    await store.saveRunStep(stepOf('r1', { intents: [intentOf('k1')], isRepeat }))
  }
  await store.saveEffect({ runId: 'r1', owner: 'o1', outcome: outcomeOf('k1') })
  await store.listEffects('r1')
  await store.requestRunCancel('r1')
  await store.renewRuns(leaseOf(), ['r1', 'r2', 'r3'])
  await store.releaseRuns('o1', ['r1'])
  await store.claimRuns({ lease: leaseOf(), now: at(0), limit: 3 })
  await store.claimRuns({ lease: leaseOf(), now: at(0), limit: 1, id: 'r1' })
  await store.insertRun(graphRunOf('g1', { parentRunId: 'r1' }), leaseOf(), [])
  await store.reserveBudget({ id: 'b1', accounts: [{ key: 'run:r1' }], tokens: 1, microUsd: 1 })
  await store.settleBudget({ id: 'b1', tokens: 1, microUsd: 1 })
  await store.lastEventSeq()
  await store.saveRunStep(waitingStepOf('r2', ['p1']))
  await store.settleWait({ ...verdictOf('r2', 'p1'), remember: rememberedOf('m1') })
  await store.resumeRun('r2', leaseOf())
  await store.finishRun(finishOf('r1'))
  for (const id of ['c2', 'c3']) await store.appendMessages(appendOf(['m1', 'm2'], { conversationId: id }))
  for (const id of ['r1.0', 'r2.0']) {
    const [message] = appendOf([id]).messages
    const turn = message ? [{ ...message, runId: id.slice(0, 2) }] : []
    await store.appendMessages(appendOf([], { conversationId: 'c2', messages: turn }))
  }
  await store.appendMessages(appendOf(['r1.9'], { conversationId: 'c2' }))
  for (const id of ['m1', 'm2', 'm3'])
    await store.writeMemory(memoryOf(id, 'pear', { embedding: Float32Array.of(1) }))
  await readRuns(store)
  await store.deleteMemory('m3')
  await store.deleteConversation('c3')
  await store.prune({
    journalBefore: at(0),
    journalEvents: 9,
    runStepsBefore: at(0),
    runsBefore: at(0),
    endedRuns: 9,
  })
}

async function readRuns(store: RuntimeStore): Promise<void> {
  await readRunLists(store)
  const all = [{}, { agentId: 'a1' }, { conversationId: 'c1' }, { graphId: 'g1' }, { parentRunId: 'r1' }]
  for (const by of all) {
    for (const status of [undefined, 'running', 'waiting', 'failed', 'cancelled'] as const) {
      const { nextCursor: cursor } = await store.listRuns({ ...by, status }, page)
      await store.listRuns({ ...by, status }, { ...page, cursor })
    }
  }
  for (const by of [{}, { agentId: 'a1' }, { userId: 'u1' }]) {
    const { nextCursor: cursor } = await store.listConversations(by, page)
    await store.listConversations(by, { ...page, cursor })
    await store.listConversations({ ...by, sources: ['chat'] }, { ...page, cursor })
  }
  for (const by of [
    {},
    { type: 'tool.called' },
    { type: 'skill.changed' },
    { types: ['skill.changed', 'agent.started'] },
    { types: ['skill.changed', 'tool.called'] },
    { runId: 'r1' },
    { type: 'tool.called', runId: 'r1' },
  ]) {
    await store.listEvents({ ...by, limit: 9 })
    await store.listEvents({ ...by, since: 1, limit: 9 })
  }
  for (const by of [{}, { agentId: 'a1' }]) {
    const query = { ...by, text: 'pear', limit: 1, now: at(1) }
    await store.searchMemories(query)
    await store.listMemories({ ...by, now: at(1) }, page)
    await store.searchMemories({ ...query, embedding: Float32Array.of(1) })
  }
  await store.findMemory('m1')
  await store.listMessages('c2', page)
  await store.listRunEvents('r1', 0)
  await store.listRunMessages('r1')
  await store.listWaitsOf(['r2'])
  const open = { status: 'open' } as const
  for (const by of [open, { ...open, kind: 'question' } as const, { ...open, event: 'paid' }, { id: 'p1' }]) {
    for (const of of [{}, { agentId: 'a1' }, { runId: 'r2' }, { userId: 'u1' }])
      await store.listWaits({ ...by, ...of }, { limit: 1 })
  }
  await store.listDueWaits(at(9), 10)
  await store.findRememberedCalls({ agentId: 'a1', conversationId: 'c1', callHashes: ['h1'] })
  for (const user of [{}, { userId: 'u1' }]) {
    await store.listRememberedCalls({ agentId: 'a1', ...user })
    for (const one of [{}, { id: 'm1' }])
      await store.forgetRememberedCalls({ agentId: 'a1', ...user, ...one })
  }
  await store.insertRun(runOf('r9', { idempotencyKey: 'r1' }), leaseOf(), [])
}

/** Asks everything of a store that the queue of tasks may ask. */
export async function useTasks(store: RuntimeStore): Promise<void> {
  await startRun(store, 'r1')
  await addTasks(store, [
    taskOf('t1', { idempotencyKey: 'k' }),
    scheduledOf('t2', 'queue'),
    taskOf('t3', { runAt: at(60) }),
    taskOf('t4', { maxAttempts: 1 }),
    taskOf('t5', { serialKey: 's' }),
    taskOf('t6', { serialKey: 's' }),
  ])
  await store.insertTask(taskOf('t9', { idempotencyKey: 'k' }), [])
  const toEvent = taskEventOf('task.started')
  await store.claimTasks(claimOf({ limit: 3, toEvent }))
  await store.setTaskRun('t1', 'o1', 'r1')
  await store.renewTasks({ owner: 'o1', until: at(30) }, ['t1', 't2'])
  await store.settleTask(settlementOf('t1', outcomes.parked, { toEvent }))
  await store.settleTask(settlementOf('t2', outcomes.completed, { toEvent }))
  await endRun(store, 'r1')
  await store.listSettleableTasks(9)
  await store.settleTask(settlementOf('t1', outcomes.failed, { owner: undefined }))
  for (const id of ['t-run', 't-still']) await store.insertTask(taskOf(id, { maxAttempts: 1 }), [])
  await store.claimTasks(claimOf({ limit: 9, now: at(40) }))
  await startRun(store, 'r-above')
  await startRun(store, 'r-below', 'r-above')
  await store.setTaskRun('t-run', 'o1', 'r-above')
  await store.setTaskRun('t-still', 'o1', 'r1')
  await store.reclaimTasks({ now: at(99), limit: 9, toEvent })
  await store.claimTasks(claimOf({ now: at(99) }))
  await store.cancelTask('t5', at(100), toEvent)
  await store.retryTask('t5', at(101), toEvent)
  await store.prune({ tasksBefore: at(0) })
  await store.findTask('t1')
  await store.nextTaskTime()
  await store.readBacklog(at(400_000))
  for (const subject of [{}, { agentId: 'a1' }]) {
    for (const status of [undefined, 'queued', 'running', 'completed', 'failed'] as const) {
      const { nextCursor: cursor } = await store.listTasks({ ...subject, status }, { limit: 1 })
      await store.listTasks({ ...subject, status }, { limit: 1, cursor })
    }
  }
}

/** Asks everything of a store that messaging channels may ask. */
export async function useChannels(store: RuntimeStore): Promise<void> {
  const source = 'channel_a:1'
  await store.claimPolling(source, { owner: 'o1', until: at(30) }, at(0))
  await accept(store, ...['m1', 'm2', 'm3'].map((id) => acceptanceOf(id)))
  await store.acceptMessages({
    now: at(2000), // the keys of the first ones are old then
    acceptances: [acceptanceOf('m4')],
    polled: { source, owner: 'o1', nextOffset: 8 },
  })
  await store.claimTasks(claimOf())
  await store.saveLoadedInput(loadedOf())
  await store.settleTask(settlementOf('task m1', outcomes.completed))
  await endTasks(store)
  await store.claimDeliveries(deliveryClaim())
  await store.renewDeliveries({ owner: 'd1', until: at(60) }, ['m1'])
  await store.saveDelivery(deliveryWrite('m1', { outbox, parts: [{ index: 0, state: 'sending' }] }))
  await store.saveDelivery(
    deliveryWrite('m1', {
      parts: [{ index: 0, state: 'sent' }],
      outcome: { kind: 'ended', status: 'uncertain' },
    }),
  )
  await store.resolveChannelMessage({ id: 'm1', decision: 'resend', now: at(70) })
  await store.claimDeliveries(deliveryClaim())
  await store.saveDelivery(deliveryWrite('m1', { outcome: { kind: 'ended', status: 'delivered' } }))
  await store.findChannelMessage('m1')
  await store.countChannelMessages('one')
  for (const channel of [undefined, 'one'])
    for (const status of [undefined, 'waiting', 'failed', 'uncertain'] as const)
      await store.listChannelMessages({ channel, status }, { limit: 2 })
  await store.listChannelMessages({ conversationId: 'c1' }, { limit: 2 })
  await store.prune({ tasksBefore: at(400_000) })
  await store.releasePolling(source, 'o1')
  await useSenders(store)
  await useAccess(store)
}

async function useAccess(store: RuntimeStore): Promise<void> {
  const token = { id: 't1', hash: 'h', name: 'ci', scopes: ['read'], createdAt: at(1) } as const
  const entry = { id: 'e1', at: at(1), actor: 'a', action: 'b', target: 'c', outcome: 'done' } as const
  await store.insertToken(token, { maxTokens: 9, expiredBefore: at(0), sealedBefore: at(0) })
  await store.appendAudit(entry)
  await store.findToken((await store.findTokenByHash('h'))?.id ?? 't1')
  await store.touchToken('t1', (await store.listTokens())[0]?.createdAt ?? at(2))
  await store.deleteToken('t1', { ...entry, id: 'e2' })
  await store.settleAudit({ id: 'e2', target: 'd', outcome: 'refused' })
  await store.listAudit({ actor: 'a', from: at(0) }, { limit: 2 })
  await store.prune({ auditBefore: at(1), auditEntries: 2 })
}

async function useSenders(store: RuntimeStore): Promise<void> {
  for (const [index, id] of ['s1', 's2', 's1', 's3'].entries()) {
    const knock = knockOf(id, { second: index, until: at(index), maxPending: 1 })
    await store.acceptMessages({ now: at(index), acceptances: [knock] })
  }
  await store.decideChannelSender({ ...decisionOf('s3', 'allowed'), welcome: { id: 'w', text: 'hi' } })
  const senders = [{ peer: peerOf('s3'), status: 'allowed' }] as const
  const message = acceptanceOf('m9', {}, { senders, cancels: { taskId: 'task m4' } })
  const begins = { chat: 'c1', conversationId: 'c9' }
  await store.acceptMessages({ now: at(9), acceptances: [{ ...message, begins }] })
  await store.findChannelSenders('one', ['s3'])
  await store.listChannelSenders('one')
  await store.findSenderByCode('code', at(0))
  await store.findChat('one', 'nothing')
  await store.setChannelRoutes('one', [{ conversation: 'c1', agentId: 'a' }])
  await store.listChannelRoutes('one')
  await store.findChannelRoutes('one', ['c1'])
  await store.sendChannelMessage(sentOf('s1'))
  await store.insertTask({ ...taskOf('reported'), reportTo: [{ channel: 'one', conversationId: 'c1' }] }, [])
  await store.findChatConversation('c1')
  await store.findChatWork('c1')
  await store.listUnannounced(9)
  await store.announceApproval(announcementOf('p1'))
  await store.listClosableNotices(9)
  await store.findChatNotices('c1', 'code p1')
  await store.closeNotice({ runId: 'r1', approvalId: 'p1', chat: 'c1' })
}
