import type { Locks } from '@homeward/kit/postgres'
import type { RuntimeStore } from '../ports/runtime-store.ts'
import type { createRuntimePlans } from '../sql/runtime-plans.ts'
import type { Plan } from '../sql/plan.ts'
import type { createUsagePlans } from '../sql/usage/usage-plans.ts'
import type { createMemoryPlans } from './memory-plans.ts'
import * as locks from './write-locks.ts'

/** How verbs are carried out. */
export interface VerbParts {
  readonly plans: ReturnType<typeof createRuntimePlans> &
    ReturnType<typeof createMemoryPlans> &
    ReturnType<typeof createUsagePlans>
  read<Result>(plan: () => Plan<Result>, signal: AbortSignal | undefined): Promise<Result>
  write<Result>(plan: () => Plan<Result>, needed: Locks, signal: AbortSignal | undefined): Promise<Result>
}

/** Every verb of a store: its plan, and what the plan has to itself. */
export function createStoreVerbs(parts: VerbParts): Omit<RuntimeStore, 'subscribe' | 'isDurable' | 'close'> {
  return {
    ...createDataVerbs(parts),
    ...createRunVerbs(parts),
    ...createWorkVerbs(parts),
    ...createChannelVerbs(parts),
  }
}

function createDataVerbs({ plans, read, write }: VerbParts) {
  return {
    insertAgent: (agent, signal) => write(() => plans.insertAgent(agent), locks.agentLocks(agent.id), signal),
    replaceAgent: (agent, signal) =>
      write(() => plans.replaceAgent(agent), locks.agentLocks(agent.id), signal),
    deleteAgent: (id, signal) => write(() => plans.deleteAgent(id), locks.agentLocks(id), signal),
    findAgent: (id, signal) => read(() => plans.findAgent(id), signal),
    listAgents: (signal) => read(() => plans.listAgents(), signal),

    insertGraph: (graph, signal) => write(() => plans.insertGraph(graph), locks.graphLocks(graph.id), signal),
    replaceGraph: (graph, signal) =>
      write(() => plans.replaceGraph(graph), locks.graphLocks(graph.id), signal),
    deleteGraph: (id, signal) => write(() => plans.deleteGraph(id), locks.graphLocks(id), signal),
    findGraph: (id, signal) => read(() => plans.findGraph(id), signal),
    listGraphs: (signal) => read(() => plans.listGraphs(), signal),

    appendMessages: (append, signal) =>
      write(() => plans.appendMessages(append), locks.appendLocks(append.conversationId), signal),
    findConversation: (id, signal) => read(() => plans.findConversation(id), signal),
    listConversations: (filter, page, signal) => read(() => plans.listConversations(filter, page), signal),
    listMessages: (id, page, signal) => read(() => plans.listMessages(id, page), signal),
    setConversationTitle: (id, title, now, signal) =>
      write(() => plans.setConversationTitle(id, title, now), locks.conversationLocks(id), signal),
    saveSummary: (conversation, summary, throughSeq, signal) =>
      write(
        () => plans.saveSummary(conversation, summary, throughSeq),
        locks.conversationLocks(conversation.id),
        signal,
      ),
    deleteConversation: (id, signal) =>
      write(() => plans.deleteConversation(id), locks.conversationLocks(id), signal),

    writeMemory: (memory, signal) => {
      const copy = { ...memory, ...(memory.embedding && { embedding: memory.embedding.slice() }) }
      return write(() => plans.writeMemory(copy), locks.memoryLocks, signal)
    },
    findMemory: (id, signal) => read(() => plans.findMemory(id), signal),
    searchMemories: (query, signal) => read(() => plans.searchMemories(query), signal),
    deleteMemory: (id, signal) => write(() => plans.deleteMemory(id), locks.memoryLocks, signal),
  } satisfies Partial<RuntimeStore>
}

function createRunVerbs({ plans, read, write }: VerbParts) {
  return {
    insertRun: (run, lease, journal, signal) =>
      write(() => plans.insertRun(run, lease, journal), locks.newRunLocks(run), signal),
    saveRunStep: (step, signal) => write(() => plans.saveRunStep(step), locks.runLocks(step.runId), signal),
    saveEffect: (effect, signal) =>
      write(() => plans.saveEffect(effect), locks.runLocks(effect.runId), signal),
    listEffects: (runId, signal) => read(() => plans.listEffects(runId), signal),
    finishRun: (finish, signal) => write(() => plans.finishRun(finish), locks.finishLocks(finish), signal),
    renewRuns: (lease, ids, signal) => write(() => plans.renewRuns(lease, ids), locks.manyRunsLocks, signal),
    claimRuns: (claim, signal) => write(() => plans.claimRuns(claim), locks.claimRunsLocks, signal),
    releaseRuns: (owner, ids, signal) =>
      write(() => plans.releaseRuns(owner, ids), locks.manyRunsLocks, signal),
    requestRunCancel: (id, signal) => write(() => plans.requestRunCancel(id), locks.runLocks(id), signal),
    decideApproval: (verdict, signal) =>
      write(() => plans.decideApproval(verdict), locks.runLocks(verdict.runId), signal),
    resumeRun: (runId, lease, signal) =>
      write(() => plans.resumeRun(runId, lease), locks.runLocks(runId), signal),
    findRun: (id, signal) => read(() => plans.findRun(id), signal),
    listRuns: (filter, page, signal) => read(() => plans.listRuns(filter, page), signal),
    listApprovals: (runIds, signal) => read(() => plans.listApprovals(runIds), signal),
    listRunMessages: (runId, signal) => read(() => plans.listRunMessages(runId), signal),
    listRunEvents: (runId, since, signal) => read(() => plans.listRunEvents(runId, since), signal),

    reserveBudget: (reservation, signal) =>
      write(() => plans.reserveBudget(reservation), locks.reserveLocks(reservation), signal),
    settleBudget: (settlement, signal) =>
      write(() => plans.settleBudget(settlement), locks.settleBudgetLocks(settlement.id), signal),
    readBudget: (key, signal) => read(() => plans.readBudget(key), signal),
  } satisfies Partial<RuntimeStore>
}

function createWorkVerbs({ plans, read, write }: VerbParts) {
  return {
    insertTask: (task, journal, signal) =>
      write(() => plans.insertTask(task, journal), locks.newTaskLocks(task), signal),
    claimTasks: (claim, signal) => write(() => plans.claimTasks(claim), locks.queueLocks, signal),
    renewTasks: (lease, ids, signal) => write(() => plans.renewTasks(lease, ids), locks.queueLocks, signal),
    setTaskRun: (id, owner, runId, signal) =>
      write(() => plans.setTaskRun(id, owner, runId), locks.taskRowLocks(id), signal),
    settleTask: (settlement, signal) =>
      write(() => plans.settleTask(settlement), locks.settleTaskLocks(settlement.id), signal),
    reclaimTasks: (reclaim, signal) => write(() => plans.reclaimTasks(reclaim), locks.queueLocks, signal),
    cancelTask: (id, now, toEvent, signal) =>
      write(() => plans.cancelTask(id, now, toEvent), locks.queueLocks, signal),
    retryTask: (id, now, toEvent, signal) =>
      write(() => plans.retryTask(id, now, toEvent), locks.retryTaskLocks, signal),
    findTask: (id, signal) => read(() => plans.findTask(id), signal),
    listTasks: (filter, page, signal) => read(() => plans.listTasks(filter, page), signal),
    listSettleableTasks: (limit, signal) => read(() => plans.listSettleableTasks(limit), signal),
    nextTaskTime: (signal) => read(() => plans.nextTaskTime(), signal),

    listScheduleCursors: (signal) => read(() => plans.listScheduleCursors(), signal),
    startSchedule: (cursor, signal) => write(() => plans.startSchedule(cursor), locks.scheduleLocks, signal),
    stopSchedule: (subject, signal) => write(() => plans.stopSchedule(subject), locks.scheduleLocks, signal),
    fireSchedules: (fires, signal) => write(() => plans.fireSchedules(fires), locks.fireLocks, signal),

    appendEvents: (events, signal) => write(() => plans.appendEvents(events), locks.eventLocks, signal),
    lastEventSeq: (signal) => read(() => plans.lastEventSeq(), signal),
    listEvents: (filter, signal) => read(() => plans.listEvents(filter), signal),
    sumUsage: (query, signal) => read(() => plans.sumUsage(query), signal),
    prune: (limits, signal) => write(() => plans.prune(limits), locks.pruneLocks, signal),
  } satisfies Partial<RuntimeStore>
}

/** Messaging channels. */
function createChannelVerbs({ plans, read, write }: VerbParts) {
  return {
    acceptMessages: (batch, signal) =>
      write(() => plans.acceptMessages(batch), locks.acceptLocks(batch), signal),
    claimDeliveries: (claim, signal) =>
      write(() => plans.claimDeliveries(claim), locks.deliveriesLocks, signal),
    renewDeliveries: (lease, ids, signal) =>
      write(() => plans.renewDeliveries(lease, ids), locks.deliveriesLocks, signal),
    saveDelivery: (delivery, signal) =>
      write(() => plans.saveDelivery(delivery), locks.deliveryLocks(delivery.id), signal),
    resolveChannelMessage: (decision, signal) =>
      write(() => plans.resolveChannelMessage(decision), locks.deliveryLocks(decision.id), signal),
    findChannelMessage: (id, signal) => read(() => plans.findChannelMessage(id), signal),
    listChannelMessages: (filter, page, signal) =>
      read(() => plans.listChannelMessages(filter, page), signal),
    countChannelMessages: (channel, signal) => read(() => plans.countChannelMessages(channel), signal),
    claimPolling: (source, lease, now, signal) =>
      write(() => plans.claimPolling(source, lease, now), locks.pollLocks(source), signal),
    releasePolling: (source, owner, signal) =>
      write(() => plans.releasePolling(source, owner), locks.pollLocks(source), signal),
  } satisfies Partial<RuntimeStore>
}
