import type { JournalEvent, JournalEventType } from '@homeward/contract/agent-platform'
import type { StoredChannelMessage } from '../../store/ports/channel-store.ts'
import type { Page, PageRequest } from '../../store/ports/page.ts'
import type { StoredRun } from '../../store/ports/run-store.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'

/** Facts that are told once, whatever happened on the way. */
const once: ReadonlySet<string> = new Set<JournalEventType>([
  'task.created',
  'task.completed',
  'task.failed',
  'agent.completed',
  'graph.completed',
  'approval.requested',
  'approval.resolved',
  'channel.message',
  'channel.reply',
  'channel.failed',
])
/** Times, and what counts tries. */
const passing = /(?:^|_)(?:at|ms|seq|timestamp|attempt)$|(?:At|Ms|Seq)$/
/** Ids that a process creates, and ids that are made of others (UUIDs of version 8). */
const createdId = /crash-\d+-\d+|[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/g
/** Codes of pairings and approvals: random, so each process has others. */
export const codes = /\b[A-HJ-NP-Z2-9]{8}\b/g

/** What a store holds when all work is done, one line a thing, so that two of them can be compared. */
export async function finalStateOf(store: RuntimeStore): Promise<string[]> {
  const runs = await runsOf(store)
  const perRun = await Promise.all(runs.map((run) => linesOf(store, run)))
  const tasks = await readAll((page) => store.listTasks({}, page))
  const journal = await journalOf(store)
  const messages = await messagesOf(store)
  return [
    ...perRun.flat(),
    ...tasks.map(({ input, status, result, failure }) => toLine('task', { input, status, result, failure })),
    ...messages.map(({ conversationId, text, status, parts, failure }) =>
      toLine(`message of ${conversationId} (${text})`, { status, parts, failure }),
    ),
    ...journal.filter(({ type }) => once.has(type)).map(({ type, data }) => toLine(`journal ${type}`, data)),
  ].toSorted()
}

/** All runs of a store. */
export const runsOf = (store: RuntimeStore): Promise<StoredRun[]> =>
  readAll((page) => store.listRuns({}, page))

/** All messages of channels. */
export const messagesOf = (store: RuntimeStore): Promise<StoredChannelMessage[]> =>
  readAll((page) => store.listChannelMessages({}, page))

async function linesOf(store: RuntimeStore, run: StoredRun): Promise<string[]> {
  const subject = run.kind === 'agent' ? run.agentId : run.graph.id
  const about = `run of ${subject} (${run.task})`
  const batches = await store.listRunEvents(run.id, 0)
  const messages = await store.listRunMessages(run.id)
  const approvals = await store.listWaitsOf([run.id])
  const said =
    run.kind === 'agent' ? await readAll((page) => store.listMessages(run.conversationId, page)) : []
  return [
    toLine(about, { status: run.status, result: run.result }),
    ...messages.map((message, index) => toLine(`${about} message ${index + 1}`, message)),
    ...batches.flatMap(({ events }) => events.map((event) => toLine(`${about} event`, event))),
    ...approvals.map(({ tool, args, status }) => toLine(`${about} approval`, { tool, args, status })),
    ...said.map(({ seq, message }) => toLine(`${about} conversation ${seq}`, message)),
  ]
}

async function journalOf(store: RuntimeStore): Promise<JournalEvent[]> {
  const all: JournalEvent[] = []
  for (;;) {
    const more = await store.listEvents({ since: all.at(-1)?.seq ?? 0, limit: 500 })
    if (more.length === 0) return all
    all.push(...more)
  }
}

function toLine(about: string, value: unknown): string {
  const text = JSON.stringify(value, (key, entry: unknown) => (passing.test(key) ? undefined : entry))
  return `${about}: ${text}`.replaceAll(createdId, 'id').replaceAll(codes, 'CODE')
}

async function readAll<Row>(read: (page: PageRequest) => Promise<Page<Row>>): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const page = await read({ limit: 100, cursor })
    rows.push(...page.rows)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return rows
}

/** Lines of the first that the second does not have, as often as they are there. */
export function minus(all: readonly string[], without: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const line of without) left.set(line, (left.get(line) ?? 0) + 1)
  return all.filter((line) => {
    const count = left.get(line) ?? 0
    if (count > 0) left.set(line, count - 1)
    return count === 0
  })
}
