import type { RunResult } from '@homeward/contract/agent-platform'
import { cut } from '../json/to-json.ts'
import { repeatableId } from '../store/repeatable-id.ts'
import type { RunReport, StoredAgentRun, StoredRun } from '../store/ports/run-store.ts'
import type { RunState } from './loop/run.ts'
import type { RunsContext } from './runs-options.ts'

/** Most characters of a result that the agent reads. */
const maxChars = 50_000

/**
 * What the agent gets that started a run in the background: nothing of one that was canceled. It is stored in the write that
 * ends the run, so it comes once, wherever a process dies.
 */
export async function toReport(
  context: RunsContext,
  { row }: RunState,
  result: RunResult,
): Promise<RunReport | undefined> {
  const { store } = context
  const parent = row.parentRunId === undefined ? undefined : await store.findRun(row.parentRunId)
  if (result.stop_reason === 'cancelled' || parent?.kind !== 'agent') return undefined
  const createdAt = context.timestamp()
  const text = textOf(row.agentId, row.id, result)
  const message = { id: repeatableId(row.id, ['report']), text, untrusted: true, createdAt } as const
  const active = await findActive(context, parent)
  return {
    ...(active && { input: { ...message, runId: active.id, mode: 'steer', journal: [] } }),
    task: await toTask(context, parent, message),
  }
}

function textOf(agentId: string, runId: string, { success, output, error = '' }: RunResult): string {
  const head = `The agent "${agentId}" that you started in the background (run ${runId})`
  if (!success) return `${head} failed: ${cut(error, maxChars)}`
  return `${head} has ended. Its output:\n\n${cut(output, maxChars)}`
}

/** The run of the agent in the conversation that works or waits: the one that asked, or the newest. */
async function findActive({ store }: RunsContext, parent: StoredAgentRun): Promise<StoredRun | undefined> {
  if (parent.finishedAt === undefined) return parent
  const { agentId, conversationId } = parent
  for (const status of ['running', 'waiting'] as const) {
    const { rows } = await store.listRuns({ agentId, conversationId, status }, { limit: 1 })
    if (rows[0]) return rows[0]
  }
  return undefined
}

async function toTask(
  { store }: RunsContext,
  { agentId, conversationId, userId, metadata }: StoredAgentRun,
  { id, text, createdAt }: { readonly id: string; readonly text: string; readonly createdAt: string },
): Promise<RunReport['task']> {
  const channel = conversationId.slice(0, conversationId.indexOf(':'))
  const chat = channel === '' ? undefined : await store.findChat(channel, conversationId)
  return {
    id,
    subject: { kind: 'agent', id: agentId },
    input: text,
    conversationId,
    ...(userId !== undefined && { userId }),
    ...(metadata && { metadata }),
    untrusted: true,
    background: true,
    ...(chat && { reportTo: [{ channel, conversationId: chat.id }] }),
    serialKey: chat ? `channel ${chat.id}` : `conversation ${conversationId}`,
    priority: 0,
    maxAttempts: 3,
    createdAt,
    runAt: createdAt,
  }
}
