import { checkNames } from '../host-input/check-names.ts'
import { checkNumbers } from '../host-input/check-settings.ts'
import { bound } from '@homeward/kit'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { createSignalHub } from '../concurrency/signal-hub.ts'
import * as approvals from './approval-verbs.ts'
import * as budgets from './budget-verbs.ts'
import { bindChannelVerbs } from './bind-channel-verbs.ts'
import * as conversations from './conversation-verbs.ts'
import * as definitions from './definition-verbs.ts'
import * as journal from './journal-verbs.ts'
import * as leases from './lease-verbs.ts'
import * as memories from './memory-verbs.ts'
import { prune } from './prune-verbs.ts'
import * as runs from './run-verbs.ts'
import * as schedules from './schedule-verbs.ts'
import * as tasks from './task-verbs.ts'
import * as usage from './usage-verbs.ts'
import type { Tables } from './tables.ts'
import { createTables, takeSignals } from './tables.ts'

/** Settings of {@link createInMemoryStore}. */
export interface InMemoryStoreOptions {
  /**
   * Most runs that have ended, and a sixteenth more at times; the oldest are forgotten with their steps and approvals.
   *
   * @default 10000
   */
  readonly maxFinishedRuns?: number
  /**
   * Most events of the journal; the oldest are forgotten. Logs and the report of usage reach as far back as they do.
   *
   * @default 10000
   */
  readonly maxJournalEvents?: number
}

/**
 * Keeps everything in this process's memory: for tests, trials and hosts that need nothing after a restart.
 * Uses no Node built-in, so it runs wherever JavaScript does.
 *
 * Ended runs and the journal are bounded by the options. Agents, conversations and memories stay until they are
 * deleted or expire.
 *
 * @throws {RuntimeError} `validation_error` when an option is no number from 0 on.
 * @example
 * const store = createInMemoryStore()
 */
export function createInMemoryStore(options: InMemoryStoreOptions = {}): RuntimeStore {
  checkNumbers('Creating the store in memory', options, { maxFinishedRuns: bound, maxJournalEvents: bound })
  checkNames('Creating the store in memory', options, { maxFinishedRuns: true, maxJournalEvents: true })
  const { maxFinishedRuns: finishedRuns = 10_000, maxJournalEvents: journalEvents = 10_000 } = options
  let tables: Tables | undefined = createTables({ finishedRuns, journalEvents })
  const hub = createSignalHub()
  // A verb runs to its end without waiting for anything: that is what makes it atomic here.
  const run = async <Result>(
    signal: AbortSignal | undefined,
    verb: (tables: Tables) => Result,
  ): Promise<Result> => {
    signal?.throwIfAborted()
    if (tables === undefined) throw closed()
    const result = verb(tables)
    if (tables.signals.length > 0) hub.tell(takeSignals(tables))
    return result
  }

  return {
    insertAgent: (agent, signal) => run(signal, (all) => definitions.insert(all, all.agents, agent)),
    replaceAgent: (agent, signal) => run(signal, (all) => definitions.replace(all, all.agents, agent)),
    deleteAgent: (id, signal) => run(signal, (all) => definitions.remove(all, all.agents, id)),
    findAgent: (id, signal) => run(signal, (all) => definitions.find(all.agents, id)),
    listAgents: (signal) => run(signal, (all) => definitions.list(all.agents)),

    insertGraph: (graph, signal) => run(signal, (all) => definitions.insert(all, all.graphs, graph)),
    replaceGraph: (graph, signal) => run(signal, (all) => definitions.replace(all, all.graphs, graph)),
    deleteGraph: (id, signal) => run(signal, (all) => definitions.remove(all, all.graphs, id)),
    findGraph: (id, signal) => run(signal, (all) => definitions.find(all.graphs, id)),
    listGraphs: (signal) => run(signal, (all) => definitions.list(all.graphs)),

    appendMessages: (append, signal) => run(signal, (all) => conversations.appendMessages(all, append)),
    findConversation: (id, signal) => run(signal, (all) => conversations.findConversation(all, id)),
    listConversations: (filter, page, signal) =>
      run(signal, (all) => conversations.listConversations(all, filter, page)),
    listMessages: (id, page, signal) => run(signal, (all) => conversations.listMessages(all, id, page)),
    setConversationTitle: (id, title, now, signal) =>
      run(signal, (all) => conversations.setConversationTitle(all, id, title, now)),
    saveSummary: (conversation, summary, throughSeq, signal) =>
      run(signal, (all) => conversations.saveSummary(all, conversation, summary, throughSeq)),
    deleteConversation: (id, signal) => run(signal, (all) => conversations.deleteConversation(all, id)),

    writeMemory: (memory, signal) => run(signal, (all) => memories.writeMemory(all, memory)),
    findMemory: (id, signal) => run(signal, (all) => memories.findMemory(all, id)),
    searchMemories: (query, signal) => run(signal, (all) => memories.searchMemories(all, query)),
    deleteMemory: (id, signal) => run(signal, (all) => memories.deleteMemory(all, id)),

    insertRun: (given, lease, log, signal) => run(signal, (all) => runs.insertRun(all, given, lease, log)),
    saveRunStep: (step, signal) => run(signal, (all) => runs.saveRunStep(all, step)),
    finishRun: (finish, signal) => run(signal, (all) => runs.finishRun(all, finish)),
    saveEffect: (effect, signal) => run(signal, (all) => leases.saveEffect(all, effect)),
    listEffects: (runId, signal) => run(signal, (all) => leases.listEffects(all, runId)),
    renewRuns: (lease, ids, signal) => run(signal, (all) => leases.renewRuns(all, lease, ids)),
    claimRuns: (claim, signal) => run(signal, (all) => leases.claimRuns(all, claim)),
    releaseRuns: (owner, ids, signal) => run(signal, (all) => leases.releaseRuns(all, owner, ids)),
    requestRunCancel: (id, signal) => run(signal, (all) => leases.requestRunCancel(all, id)),
    decideApproval: (verdict, signal) => run(signal, (all) => approvals.decideApproval(all, verdict)),
    resumeRun: (runId, lease, signal) => run(signal, (all) => approvals.resumeRun(all, runId, lease)),
    findRun: (id, signal) => run(signal, (all) => runs.findRun(all, id)),
    listRuns: (filter, page, signal) => run(signal, (all) => runs.listRuns(all, filter, page)),
    listApprovals: (runIds, signal) => run(signal, (all) => approvals.listApprovals(all, runIds)),
    listRunMessages: (runId, signal) => run(signal, (all) => runs.listRunMessages(all, runId)),
    listRunEvents: (runId, since, signal) => run(signal, (all) => runs.listRunEvents(all, runId, since)),

    reserveBudget: (reservation, signal) => run(signal, (all) => budgets.reserveBudget(all, reservation)),
    settleBudget: (settlement, signal) => run(signal, (all) => budgets.settleBudget(all, settlement)),
    readBudget: (key, signal) => run(signal, (all) => budgets.readBudget(all, key)),
    insertTask: (task, events, signal) => run(signal, (all) => tasks.insertTask(all, task, events)),
    claimTasks: (claim, signal) => run(signal, (all) => tasks.claimTasks(all, claim)),
    renewTasks: (lease, ids, signal) => run(signal, (all) => tasks.renewTasks(all, lease, ids)),
    setTaskRun: (id, owner, runId, signal) => run(signal, (all) => tasks.setTaskRun(all, id, owner, runId)),
    settleTask: (settlement, signal) => run(signal, (all) => tasks.settleTask(all, settlement)),
    reclaimTasks: (reclaim, signal) => run(signal, (all) => tasks.reclaimTasks(all, reclaim)),
    cancelTask: (id, now, toEvent, signal) => run(signal, (all) => tasks.cancelTask(all, id, now, toEvent)),
    retryTask: (id, now, toEvent, signal) => run(signal, (all) => tasks.retryTask(all, id, now, toEvent)),
    findTask: (id, signal) => run(signal, (all) => tasks.findTask(all, id)),
    listTasks: (filter, page, signal) => run(signal, (all) => tasks.listTasks(all, filter, page)),
    listSettleableTasks: (limit, signal) => run(signal, (all) => tasks.listSettleableTasks(all, limit)),
    nextTaskTime: (signal) => run(signal, tasks.nextTaskTime),

    listScheduleCursors: (signal) => run(signal, schedules.listScheduleCursors),
    startSchedule: (cursor, signal) => run(signal, (all) => schedules.startSchedule(all, cursor)),
    stopSchedule: (subject, signal) => run(signal, (all) => schedules.stopSchedule(all, subject)),
    fireSchedules: (fires, signal) => run(signal, (all) => schedules.fireSchedules(all, fires)),

    ...bindChannelVerbs(run),
    appendEvents: (events, signal) => run(signal, (all) => journal.appendEvents(all, events)),
    lastEventSeq: (signal) => run(signal, journal.lastEventSeq),
    listEvents: (filter, signal) => run(signal, (all) => journal.listEvents(all, filter)),
    sumUsage: (query, signal) => run(signal, (all) => usage.sumUsage(all, query)),
    prune: (limits, signal) => run(signal, (all) => prune(all, limits)),
    subscribe: (listener) => hub.subscribe(listener),
    isDurable: false,
    close: async () => {
      tables = undefined
    },
  }
}

const closed = () =>
  new RuntimeError('closed', 'Using the store in memory failed: it was closed. Create another one.')
