import type { RuntimeStore } from '../ports/runtime-store.ts'
import { RuntimeError } from '../runtime-error.ts'
import * as agents from './agent-verbs.ts'
import * as approvals from './approval-verbs.ts'
import * as conversations from './conversation-verbs.ts'
import * as journal from './journal-verbs.ts'
import * as memories from './memory-verbs.ts'
import * as runs from './run-verbs.ts'
import type { Tables } from './tables.ts'
import { createTables } from './tables.ts'

/** Settings of {@link createInMemoryStore}. */
export interface InMemoryStoreOptions {
  /** Most runs that have ended; the oldest are forgotten with their steps and approvals. @default 10000 */
  readonly maxFinishedRuns?: number
  /** Most events of the journal; the oldest are forgotten. @default 50000 */
  readonly maxJournalEvents?: number
}

/**
 * Keeps everything in this process's memory: for tests, trials and hosts that need nothing after a restart.
 * Uses no Node built-in, so it runs wherever JavaScript does.
 *
 * Ended runs and the journal are bounded by the options. Agents, conversations and memories stay until they are
 * deleted or expire.
 *
 * @example
 * const store = createInMemoryStore()
 */
export function createInMemoryStore(options: InMemoryStoreOptions = {}): RuntimeStore {
  const { maxFinishedRuns = 10_000, maxJournalEvents = 50_000 } = options
  let tables: Tables | undefined = createTables({
    finishedRuns: maxFinishedRuns,
    journalEvents: maxJournalEvents,
  })

  // A verb runs to its end without waiting for anything: that is what makes it atomic here.
  const run = async <Result>(
    signal: AbortSignal | undefined,
    verb: (tables: Tables) => Result,
  ): Promise<Result> => {
    signal?.throwIfAborted()
    if (tables !== undefined) return verb(tables)
    throw new RuntimeError('closed', 'Using the store in memory failed: it was closed. Create another one.')
  }

  return {
    insertAgent: (agent, signal) => run(signal, (all) => agents.insertAgent(all, agent)),
    replaceAgent: (agent, signal) => run(signal, (all) => agents.replaceAgent(all, agent)),
    deleteAgent: (id, signal) => run(signal, (all) => agents.deleteAgent(all, id)),
    findAgent: (id, signal) => run(signal, (all) => agents.findAgent(all, id)),
    listAgents: (signal) => run(signal, agents.listAgents),

    appendMessages: (append, signal) => run(signal, (all) => conversations.appendMessages(all, append)),
    findConversation: (id, signal) => run(signal, (all) => conversations.findConversation(all, id)),
    listConversations: (filter, page, signal) =>
      run(signal, (all) => conversations.listConversations(all, filter, page)),
    listMessages: (id, page, signal) => run(signal, (all) => conversations.listMessages(all, id, page)),
    setConversationTitle: (id, title, now, signal) =>
      run(signal, (all) => conversations.setConversationTitle(all, id, title, now)),
    saveSummary: (id, summary, throughSeq, signal) =>
      run(signal, (all) => conversations.saveSummary(all, id, summary, throughSeq)),
    deleteConversation: (id, signal) => run(signal, (all) => conversations.deleteConversation(all, id)),

    writeMemory: (memory, signal) => run(signal, (all) => memories.writeMemory(all, memory)),
    searchMemories: (query, signal) => run(signal, (all) => memories.searchMemories(all, query)),
    deleteMemory: (id, signal) => run(signal, (all) => memories.deleteMemory(all, id)),

    insertRun: (newRun, events, signal) => run(signal, (all) => runs.insertRun(all, newRun, events)),
    saveRunStep: (step, signal) => run(signal, (all) => runs.saveRunStep(all, step)),
    finishRun: (finish, signal) => run(signal, (all) => runs.finishRun(all, finish)),
    decideApproval: (verdict, signal) => run(signal, (all) => approvals.decideApproval(all, verdict)),
    resumeRun: (runId, signal) => run(signal, (all) => approvals.resumeRun(all, runId)),
    findRun: (id, signal) => run(signal, (all) => runs.findRun(all, id)),
    listRuns: (filter, page, signal) => run(signal, (all) => runs.listRuns(all, filter, page)),
    listApprovals: (runId, signal) => run(signal, (all) => approvals.listApprovals(all, runId)),
    listRunMessages: (runId, signal) => run(signal, (all) => runs.listRunMessages(all, runId)),
    listRunEvents: (runId, since, signal) => run(signal, (all) => runs.listRunEvents(all, runId, since)),

    appendEvents: (events, signal) => run(signal, (all) => journal.appendEvents(all, events)),
    listEvents: (filter, signal) => run(signal, (all) => journal.listEvents(all, filter)),
    close: async () => {
      tables = undefined
    },
  }
}
