import type { Agent, AgentPatch, WhatIf, WhatIfRequest, WhatIfRun } from '@homeward/contract/agent-platform'
import { sleep } from '@homeward/kit'
import { mergeAgent } from '../agents/merge-agent.ts'
import { toAgent } from '../agents/to-agent.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { RunStore } from '../store/ports/run-store.ts'
import type { StoredWhatIf, WhatIfStore } from '../store/ports/what-if-store.ts'

/** Plays stored runs of an agent with a changed agent. No tool is called. */
export interface WhatIfs {
  /**
   * Begins to play runs. It continues after a crash.
   *
   * @throws {RuntimeError} `not_found`; `validation_error` for runs that are not ended runs of the agent.
   */
  start(agentId: string, request: WhatIfRequest): Promise<WhatIf>
  /** @throws {RuntimeError} `not_found` */
  get(id: string): Promise<WhatIf>
  /** Gives the what-if once all its runs were played. @throws {RuntimeError} `not_found`; the reason of `signal` */
  finished(id: string, signal?: AbortSignal): Promise<WhatIf>
}

/** Dependencies of {@link createWhatIfs}. */
interface WhatIfsOptions {
  readonly store: WhatIfStore & Pick<RunStore, 'listRuns' | 'findRun'>
  readonly findAgent: (id: string) => Promise<Agent | undefined>
  /** Called once there is something to play. */
  readonly onStart: () => void
  /** Resolves when this process has played a run. */
  readonly onPlayed: () => Promise<void>
  readonly now: () => number
  readonly createId: () => string
}

/** What-ifs that are stored after they ended. */
const maxStored = 1000
/** Milliseconds between two looks at a what-if that another process may work on. */
const lookMs = 1000

/** What-ifs over a store. */
export function createWhatIfs(options: WhatIfsOptions): WhatIfs {
  const { store, findAgent, onStart, onPlayed, now, createId } = options

  async function get(id: string): Promise<WhatIf> {
    const stored = await store.findWhatIf(id)
    if (stored) return toWhatIf(stored)
    throw new RuntimeError('not_found', 'Getting a what-if failed: no what-if has this id. Start it again.')
  }

  return {
    get,
    async start(agentId, { changes, runs, last = 20 }) {
      const before = await findAgent(agentId)
      if (!before)
        throw new RuntimeError(
          'not_found',
          `Starting a what-if failed: no agent has the id "${agentId.slice(0, 100)}". List the agents to find it.`,
        )
      const runIds = runs ? await checkRuns(store, agentId, runs) : await newestRuns(store, agentId, last)
      if (runIds.length === 0)
        throw new RuntimeError(
          'validation_error',
          'Starting a what-if failed: the agent does not have runs that have ended. Run it first.',
        )
      const createdAt = new Date(now()).toISOString()
      const agent = toPlayedAgent(before, changes)
      const whatIf = { id: createId(), agentId, changes, agent, runIds, createdAt }
      await store.insertWhatIf(whatIf, maxStored)
      onStart()
      return toWhatIf({ ...whatIf, status: 'running', runs: [] })
    },
    async finished(id, signal = new AbortController().signal) {
      for (;;) {
        signal.throwIfAborted()
        const played = onPlayed()
        const whatIf = await get(id)
        if (whatIf.status !== 'running') return whatIf
        const look = new AbortController()
        const stop = AbortSignal.any([signal, look.signal])
        await Promise.race([played, sleep(lookMs, stop)])
        look.abort()
      }
    },
  }
}

/** The changed agent, without what would wait for people, call tools elsewhere, or cost the user. Its budget is the agent's own. */
function toPlayedAgent(before: Agent, changes: AgentPatch): Agent {
  const {
    approvals: _,
    approval_tools: __,
    hosted_tools: ___,
    user_budget: ____,
    budget: _____,
    ...fields
  } = {
    ...mergeAgent(before, changes),
  }
  const { ask_at: ______, ...budget } = before.budget ?? {}
  return toAgent({ ...fields, ...(before.budget && { budget }) }, before)
}

async function checkRuns(
  store: Pick<RunStore, 'findRun'>,
  agentId: string,
  ids: readonly string[],
): Promise<string[]> {
  const unique = [...new Set(ids)]
  for (const id of unique) {
    const run = await store.findRun(id)
    if (run?.kind === 'agent' && run.agentId === agentId && run.finishedAt !== undefined && !run.undoes)
      continue
    throw new RuntimeError(
      'validation_error',
      `Starting a what-if failed: "${id.slice(0, 100)}" is not a run of the agent that has ended. List the runs of the agent to find it.`,
    )
  }
  return unique
}

/** The newest runs that have ended and were not canceled. Undos ask no model, so there is nothing to play. */
async function newestRuns(
  store: Pick<RunStore, 'listRuns'>,
  agentId: string,
  count: number,
): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await store.listRuns({ agentId }, { limit: 100, cursor })
    for (const { id, status, source } of page.rows)
      if (source !== 'undo' && (status === 'completed' || status === 'failed')) ids.push(id)
    cursor = page.nextCursor
  } while (cursor !== undefined && ids.length < count)
  return ids.slice(0, count)
}

function toWhatIf({ id, agentId, status, changes, createdAt, runIds, runs }: StoredWhatIf): WhatIf {
  const count = (verdict: WhatIfRun['verdict']) => runs.filter((run) => run.verdict === verdict).length
  const sum = (name: 'cost' | 'cost_before') => {
    const known = runs.flatMap((run) => run[name] ?? [])
    const amount = known.reduce((all, cost) => all + Math.round(cost.amount * 1_000_000), 0) / 1_000_000
    return known.length === 0 ? {} : { [name]: { amount, currency: 'USD' as const } }
  }
  return {
    id,
    agent_id: agentId,
    status,
    changes,
    created_at: createdAt,
    count: runIds.length,
    runs: [...runs],
    totals: {
      same: count('same'),
      different: count('different'),
      diverged: count('diverged'),
      failed: count('failed'),
      ...sum('cost'),
      ...sum('cost_before'),
    },
  }
}
