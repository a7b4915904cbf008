import type { Agent, GraphRunResult, RunEvent, RunResult } from '@homeward/contract/agent-platform'
import type { NewAuditEntry } from '../store/ports/audit-store.ts'
import type { ConversationAppend, NewMessage } from '../store/ports/conversation-store.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { Lease } from '../store/ports/lease.ts'
import type { StoredMemory } from '../store/ports/memory-store.ts'
import type { Page } from '../store/ports/page.ts'
import type { EffectIntent, EffectOutcome } from '../store/ports/effect.ts'
import type { RememberedCall } from '../store/ports/remembered-call.ts'
import type { StoredApproval, WaitSettlement } from '../store/ports/wait.ts'
import type {
  NewAgentRun,
  NewGraphRun,
  RunFinish,
  RunProgress,
  RunStepWrite,
} from '../store/ports/run-store.ts'

/** Text that naive storage breaks. */
export const oddText = 'it\'s 100% "ü" _ \\ \u0000 \u00100 \ud83d \ud83d\udd0e \n 猫 e\u0301 \u00e9 '

/** A time, in seconds from the start of a case. */
export const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()

/** An agent, made at second 0. */
export function agentOf(id: string, changes: Partial<Agent> = {}): Agent {
  const time = at(0)
  return {
    id,
    model: 'test/echo',
    personality: oddText,
    skills: ['weather'],
    limits: { max_turns: 3 },
    schedule_enabled: true,
    version: 1,
    created_at: time,
    updated_at: time,
    ...changes,
  }
}

/** An entry of the audit. */
export const entryOf = (id: string, changes: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  id,
  at: at(1),
  actor: 'token:ci',
  action: 'agent.created',
  target: 'a1',
  outcome: 'done',
  ...changes,
})

/** A message of a user. */
export function messageOf(id: string, text = `text of ${id}`): NewMessage {
  return { id, message: { role: 'user', text } }
}

/** Messages for the conversation `c1` of agent `a1`. */
export function appendOf(
  ids: readonly string[],
  changes: Partial<ConversationAppend> = {},
): ConversationAppend {
  return {
    conversationId: 'c1',
    agentId: 'a1',
    messages: ids.map((id) => messageOf(id)),
    now: at(0),
    ...changes,
  }
}

/** A memory of agent `a1`, made at second 0. */
export function memoryOf(id: string, text: string, changes: Partial<StoredMemory> = {}): StoredMemory {
  return { id, agentId: 'a1', text, tags: [], createdAt: at(0), ...changes }
}

/** Who works on the runs of these cases, if nothing else is said. */
export const owner = 'o1'

/** A lease of {@link owner}, until second 20. */
export function leaseOf(changes: Partial<Lease> = {}): Lease {
  return { owner, until: at(20), ...changes }
}

/** A run of agent `a1`, started at second 0. */
export function runOf(id: string, changes: Partial<NewAgentRun> = {}): NewAgentRun {
  return {
    kind: 'agent',
    id,
    agentId: 'a1',
    conversationId: 'c1',
    task: oddText,
    source: 'api',
    limits: { max_turns: 10 },
    store: true,
    model: 'test/echo',
    depth: 0,
    tainted: false,
    accounts: [],
    createdAt: at(0),
    ...changes,
  }
}

/** A run of graph `g1`, started at second 0. */
export function graphRunOf(id: string, changes: Partial<NewGraphRun> = {}): NewGraphRun {
  const { task, source, depth, tainted, createdAt } = runOf(id)
  const nodes = [{ id: 'n1', agent: 'a1', input: oddText }]
  const times = { created_at: at(0), updated_at: at(0) }
  const graph = { id: 'g1', nodes, edges: [], schedule_enabled: true, ...times }
  const accounts = [{ key: `run:${id}`, maxTokens: 10 }]
  return { kind: 'graph', id, task, source, depth, tainted, accounts, createdAt, graph, ...changes }
}

/** How far a run has come after some turns. */
export function progressOf(turns: number): RunProgress {
  const usage = { input_tokens: turns * 10, output_tokens: turns }
  return { turns, toolCalls: turns, usage, activeMs: turns * 100, tainted: turns > 1 }
}

/** A result of a run. */
export function resultOf(runId: string, changes: Partial<RunResult> = {}): RunResult {
  return {
    success: true,
    output: oddText,
    turns: 1,
    tool_calls: 1,
    steps: [{ tool: 'time', args: {}, result: { now: [1, null, 'x'] } }],
    usage: { input_tokens: 1, output_tokens: 2 },
    model: 'test/echo',
    run_id: runId,
    conversation_id: 'c1',
    stop_reason: 'done',
    ...changes,
  }
}

/** A result of a run of a graph. */
export function graphResultOf(runId: string): GraphRunResult {
  const node = { node_id: 'n1', agent_id: 'a1', success: true, status: 'completed' } as const
  const node_results = [{ ...node, attempts: 1, output: oddText }]
  const usage = { input_tokens: 1, output_tokens: 2 }
  return {
    success: true,
    output: oddText,
    outputs: { n1: oddText },
    run_id: runId,
    graph_id: 'g1',
    node_results,
    usage,
  }
}

/** Events of a stream: so many pieces of text. */
export function eventsOf(count: number): RunEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    event: 'assistant',
    data: { delta: `part ${index}` },
  }))
}

/** An event of the journal. */
export function journalOf(runId: string, changes: Partial<NewJournalEvent> = {}): NewJournalEvent {
  return { type: 'tool.called', timestamp: at(1), runId, data: { tool: 'time', odd: oddText }, ...changes }
}

/** The first step of a run: one message, two stream events (1 and 2), one event of the journal. */
export function stepOf(runId: string, changes: Partial<RunStepWrite> = {}): RunStepWrite {
  return {
    runId,
    owner,
    messages: [
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'k1', name: 'time', args: { odd: oddText } }] },
    ],
    progress: progressOf(1),
    stream: { firstSeq: 1, events: eventsOf(2) },
    journal: [journalOf(runId)],
    ...changes,
  }
}

/** A call that a step announces. */
export function intentOf(key: string, changes: Partial<EffectIntent> = {}): EffectIntent {
  return { key, callId: `call-${key}`, tool: 'send', argsHash: 'ab12', repeat: 'safe', ...changes }
}

/** How such a call ended. */
export function outcomeOf(key: string, changes: Partial<EffectOutcome> = {}): EffectOutcome {
  const result = { id: `call-${key}`, name: 'send', result: { odd: oddText, of: key } }
  return { key, result, untrusted: false, ...changes }
}

/** A wait for a decision about a call. */
export function approvalOf(runId: string, id: string): StoredApproval {
  return {
    id,
    runId,
    kind: 'approval',
    status: 'open',
    agentId: 'a1',
    callId: `call-${id}`,
    tool: 'send',
    args: { to: oddText },
    createdAt: at(1),
  }
}

/** A decision about a call that is remembered for all conversations of an agent. */
export function rememberedOf(id: string, changes: Partial<RememberedCall> = {}): RememberedCall {
  const call = { agentId: 'a1', tool: 'send', args: { to: oddText }, callHash: 'h1', createdAt: at(5) }
  return { id, ...call, status: 'approved', ...changes }
}

/** A first step that waits for approvals. */
export function waitingStepOf(runId: string, approvalIds: readonly string[]): RunStepWrite {
  const opens = approvalIds.map((id) => approvalOf(runId, id))
  return stepOf(runId, { opens, waitFor: { result: resultOf(runId, { stop_reason: 'approval' }) } })
}

/** The end of a run behind {@link stepOf}: one message, one stream event (3), one event of the journal. */
export function finishOf(runId: string, changes: Partial<RunFinish> = {}): RunFinish {
  return {
    runId,
    owner,
    status: 'completed',
    result: resultOf(runId),
    finishedAt: at(9),
    durationMs: 9000,
    searched: [oddText],
    messages: [{ role: 'assistant', parts: [{ type: 'text', text: oddText }] }],
    progress: progressOf(2),
    stream: { firstSeq: 3, events: eventsOf(1) },
    journal: [journalOf(runId, { type: 'agent.completed' })],
    conversation: appendOf([`${runId}-q`, `${runId}-a`], { now: at(9) }),
    ...changes,
  }
}

/** A decision about an approval. */
export function verdictOf(
  runId: string,
  waitId: string,
  decision: 'approve' | 'deny' = 'approve',
): WaitSettlement {
  const journal = [journalOf(runId, { type: 'approval.resolved' })]
  const data = { decision, reason: oddText }
  return { runId, waitId, status: 'answered', data, settledAt: at(5), settledBy: oddText, journal }
}

/** Reads a list to its end, page by page; `between` runs after each page. */
export async function readAll<Row>(
  read: (cursor: string | undefined) => Promise<Page<Row>>,
  between: (pages: number) => Promise<unknown> = async () => {},
): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  let pages = 0
  do {
    const page: Page<Row> = await read(cursor)
    rows.push(...page.rows)
    cursor = page.nextCursor
    pages += 1
    await between(pages)
  } while (cursor !== undefined && pages < 1000)
  return rows
}

/** Ids of rows. */
export function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id)
}
