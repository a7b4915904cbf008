import type { ConversationStore } from '../../store/ports/conversation-store.ts'
import type { Journal } from '../../store/ports/journal.ts'
import type { RunStore } from '../../store/ports/run-store.ts'
import { idsOf } from '../conformance-fixtures.ts'

/** Store parts that a run writes to. */
export type JournaledRuns = RunStore & ConversationStore & Journal

/** Ids of the messages of `c1`, oldest first. */
export async function messagesOf(store: ConversationStore): Promise<string[]> {
  return idsOf((await store.listMessages('c1', { limit: 100 })).rows).toReversed()
}

/** Everything that a store shows of a run. */
export async function snapshotOf(store: JournaledRuns, runId: string): Promise<unknown> {
  return {
    run: await store.findRun(runId),
    messages: await store.listRunMessages(runId),
    events: await store.listRunEvents(runId, 0),
    approvals: await store.listWaitsOf([runId]),
    effects: await store.listEffects(runId),
    journal: await store.listEvents({ limit: 1000 }),
    conversation: await store.findConversation('c1'),
    conversationMessages: await messagesOf(store),
  }
}
