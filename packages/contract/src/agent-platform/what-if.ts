import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { AgentPatch } from './agent.ts'
import { Cost } from './cost.ts'
import { orAbsent, PlatformId, Slug } from './values.ts'

/** A what-if request: changes of the agent, and at most one of `runs` and `last`. */
export const WhatIfRequest = z
  .object({
    /** Changed fields of the agent, as in `PUT /api/agents/{id}`. `budget` is ignored. */
    changes: AgentPatch,
    /** Ids of ended runs of the agent, at most 200. */
    runs: orAbsent(z.array(PlatformId).check(z.minLength(1), z.maxLength(200))),
    /** Number of the newest ended runs of the agent, 1 to 200. Default 20. */
    last: orAbsent(z.int().check(z.gte(1), z.lte(200))),
  })
  .check(
    z.refine(({ runs, last }) => runs === undefined || last === undefined, {
      error: 'at most one of runs and last is allowed',
    }),
  )
export type WhatIfRequest = z.infer<typeof WhatIfRequest>

/**
 * Comparison of a replayed run with the original. `same`: same calls and same output. `diverged`: the model made a
 * call that was not recorded, and the replay stopped there.
 */
export const WhatIfVerdict = z.enum(['same', 'different', 'diverged', 'failed'])
export type WhatIfVerdict = z.infer<typeof WhatIfVerdict>

/** A run replayed with the changed agent. */
export const WhatIfRun = z.object({
  run_id: PlatformId,
  verdict: WhatIfVerdict,
  /** Numbers of tool calls. `changed`: calls of the same tool with other arguments. */
  calls: z.object({ added: z.int(), removed: z.int(), changed: z.int() }),
  /** At most 10,000 characters, as is `output_before`. */
  output: z.string(),
  output_before: z.string(),
  /** Cost. Absent if a called model has no price. */
  cost: z.optional(Cost),
  cost_before: z.optional(Cost),
  /** Reason why the replay diverged or failed. */
  reason: z.optional(z.string()),
})
export type WhatIfRun = z.infer<typeof WhatIfRun>

/** Stored runs of an agent, replayed with a changed agent. */
export const WhatIf = z.object({
  id: PlatformId,
  agent_id: Slug,
  /** Status. `failed`: no run could be replayed. */
  status: z.enum(['running', 'completed', 'failed']),
  changes: AgentPatch,
  created_at: z.string(),
  /** Number of runs to replay. */
  count: z.int(),
  /** Replayed runs so far, in the order of the request, or newest first. */
  runs: z.array(WhatIfRun),
  totals: z.object({
    same: z.int(),
    different: z.int(),
    diverged: z.int(),
    failed: z.int(),
    /** Sums over the runs with a known cost. Absent without such runs. */
    cost: z.optional(Cost),
    cost_before: z.optional(Cost),
  }),
})
export type WhatIf = z.infer<typeof WhatIf>

/** Operations for what-ifs. */
export const whatIfOperations = {
  startWhatIf: {
    method: 'POST',
    path: '/api/agents/{id}/what-if',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'what_if.started' },
    summary:
      "Plays stored runs of an agent with a changed agent: its model is asked, and tool calls get their recorded results. Tools are never called. Costs count against the agent's budget.",
    source: 'additions 2, 6',
    params: z.object({ id: Slug }),
    body: WhatIfRequest,
    status: 202,
    reply: z.object({
      ok: z.literal(true),
      what_if: z.object({ id: PlatformId, status: WhatIf.shape.status }),
    }),
    errors: [404],
  },
  getWhatIf: {
    method: 'GET',
    path: '/api/what-ifs/{id}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    summary: 'Returns a what-if, also while its runs are played. The newest 1,000 are stored.',
    source: 'additions 2, 6',
    params: z.object({ id: PlatformId }),
    reply: z.object({ what_if: WhatIf }),
    errors: [404],
  },
} as const satisfies Record<string, Operation>
