import type { Wait, RunResult } from '@homeward/contract/agent-platform'
import type { StoredAgentRun } from '../../store/ports/run-store.ts'
import type { RunHandle } from '../../runs/runs.ts'
import type { RuntimeError } from '../../ports/runtime-error.ts'
import type { DriveGraphOptions } from '../drive-graph.ts'

const time = '2026-01-01T00:00:00.000Z'

/** How the run of a node's agent goes. */
interface NodePlay {
  readonly output?: string
  /** Makes the run fail. */
  readonly code?: string
  /** The run waits for a person first. */
  readonly approval?: boolean
  readonly tainted?: boolean
}

/** A run that an agent was asked for. */
interface Attempt {
  readonly node: string
  readonly attempt: number
  readonly task: string
  readonly tainted: boolean
  readonly runId: string
}

/** A node that answers with its own id. */
export const echoNode = ({ node }: Attempt): NodePlay => ({ output: node })

/** Called before a run begins; what it gives is thrown instead. */
export type Refuse = (attempt: Attempt) => RuntimeError | undefined | Promise<undefined>

export type Play = (attempt: Attempt) => NodePlay | Promise<NodePlay>

/** Runs whose course is told by `play`. They outlive a process that crashes. */
export function createPlayedRuns(play: Play) {
  const byKey = new Map<string, StoredAgentRun>()
  const ends = new Map<string, ReturnType<typeof Promise.withResolvers<RunResult>>>()
  const listeners = new Set<(run: { id: string; parentRunId?: string }) => void>()
  const attempts: Attempt[] = []
  const cancelled: string[] = []

  const find = (id: string) => [...byKey.values()].find((child) => child.id === id)
  const put = (child: StoredAgentRun) => void byKey.set(child.idempotencyKey ?? '', child)
  const handleOf = (id: string): RunHandle => {
    const { promise } = ends.get(id) ?? Promise.withResolvers<RunResult>()
    return { runId: id, conversationId: 'c', result: promise }
  }

  function stop(
    id: string,
    status: StoredAgentRun['status'],
    fields: Partial<RunResult> & { tainted?: boolean },
  ): void {
    const child = find(id)
    const { parentRunId = '' } = child ?? {}
    if (!child || ['completed', 'failed', 'cancelled'].includes(child.status)) return
    const { tainted = child.tainted, ...rest } = fields
    const result = resultOf(id, rest)
    const usage = { input_tokens: 10, output_tokens: 1 }
    const isOver = status !== 'waiting'
    put({
      ...child,
      status,
      result,
      progress: { ...child.progress, usage, tainted },
      ...(isOver && { finishedAt: time }),
    })
    ends.get(id)?.resolve(result)
    if (isOver) for (const listener of listeners) listener({ id, parentRunId })
  }

  async function work(attempt: Attempt, isDecided = false): Promise<void> {
    const { output = '', code, approval, tainted } = await play(attempt)
    const { runId } = attempt
    const more = tainted === undefined ? {} : { tainted }
    if (approval && !isDecided) {
      return stop(runId, 'waiting', {
        success: true,
        stop_reason: 'approval',
        waits: [waitOf(runId)],
      })
    }
    if (code === undefined) return stop(runId, 'completed', { output, ...more })
    stop(runId, 'failed', { output, success: false, error: `${attempt.node} broke`, code, ...more })
  }

  return {
    attempts,
    cancelled,
    listeners,
    find,
    all: () => [...byKey.values()],
    statusOf: (node: string) =>
      [...byKey.values()].filter(({ id }) => id.startsWith(`run-${node}-`)).at(-1)?.status,
    /** Begins a run, or gives the one with this key. */
    begin(key: string, agentId: string, parentRunId: string, attempt: Attempt): RunHandle {
      const known = byKey.get(key)
      if (known) return handleOf(known.id)
      attempts.push(attempt)
      ends.set(attempt.runId, Promise.withResolvers())
      put(childOf(attempt, key, agentId, parentRunId))
      void work(attempt)
      return handleOf(attempt.runId)
    },
    handleOf,
    cancel(id: string): void {
      cancelled.push(id)
      const reason = { error: 'cancelled', code: 'cancelled', stop_reason: 'cancelled' } as const
      stop(id, 'cancelled', { success: false, ...reason })
    },
    /** The run of a node went on, and waits for another approval now. */
    askAgain(node: string, approvalId: string): void {
      const child = [...byKey.values()].find(({ id }) => id.startsWith(`run-${node}-`))
      if (!child?.result) throw new Error(`nothing of ${node} waits`)
      put({ ...child, result: { ...child.result, waits: [{ ...waitOf(child.id), id: approvalId }] } })
    },
    /** A person approves what the run of a node waits for. */
    async approve(node: string) {
      const child = [...byKey.values()].find(
        ({ id, status }) => id.startsWith(`run-${node}-`) && status === 'waiting',
      )
      const attempt = attempts.find(({ runId }) => runId === child?.id)
      if (!child || !attempt) throw new Error(`nothing of ${node} waits`)
      const { result: _, ...rest } = child
      ends.set(child.id, Promise.withResolvers())
      put({ ...rest, status: 'running' })
      await work(attempt, true)
    },
  }
}

/** Runs as the driver of graphs sees them. */
export function toRuns(
  played: ReturnType<typeof createPlayedRuns>,
  refuse: Refuse,
): DriveGraphOptions['runs'] {
  return {
    startGraph: async () => Promise.reject(new Error('no graph is played')),
    async start({ agent_id, task, idempotency_key: key = '' }, { tainted = false, parentRunId = '' } = {}) {
      await Promise.resolve()
      const [, node = '', number] = key.split(':')
      const attempt = { node, attempt: Number(number), task, tainted, runId: `run-${node}-${number}` }
      const refusal = await refuse(attempt)
      if (refusal) throw refusal
      return played.begin(key, agent_id, parentRunId, attempt)
    },
    async attach(id) {
      await Promise.resolve()
      return played.handleOf(id)
    },
    async cancel(id) {
      await Promise.resolve()
      played.cancel(id)
      return {
        id,
        task: '',
        source: 'graph',
        status: 'cancelled',
        created_at: time,
        approvals: [],
        waits: [],
      }
    },
    onEnded(listener) {
      played.listeners.add(listener)
      return () => played.listeners.delete(listener)
    },
  }
}

function childOf(attempt: Attempt, key: string, agentId: string, parentRunId: string): StoredAgentRun {
  const { runId: id, task, tainted } = attempt
  return {
    kind: 'agent',
    id,
    agentId,
    conversationId: 'c',
    limits: {},
    store: false,
    model: 'test/echo',
    task,
    source: 'graph',
    idempotencyKey: key,
    parentRunId,
    depth: 0,
    tainted,
    accounts: [],
    createdAt: time,
    status: 'running',
    cancelRequested: false,
    progress: { turns: 0, toolCalls: 0, usage: { input_tokens: 0, output_tokens: 0 }, activeMs: 0, tainted },
  }
}

function resultOf(id: string, fields: Partial<RunResult>): RunResult {
  return {
    success: true,
    output: '',
    turns: 1,
    tool_calls: 0,
    steps: [],
    usage: { input_tokens: 10, output_tokens: 1 },
    model: 'test/echo',
    run_id: id,
    conversation_id: 'c',
    stop_reason: 'done',
    ...fields,
  }
}

const waitOf = (runId: string): Wait => ({
  id: `approval-${runId}`,
  run_id: runId,
  kind: 'approval',
  status: 'open',
  tool: 'send',
  args: {},
  created_at: time,
})
