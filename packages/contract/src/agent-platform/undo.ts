import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { PlatformId } from './values.ts'

/** A call of a run with the outcome of its undo. */
export const UndoStep = z.object({
  /** `index` of the call in the run's steps. */
  step: z.int(),
  /** Id of the tool. */
  tool: z.string(),
  /**
   * Status. `waiting`: needs an approval. `cannot_undo`: the tool has no undo, or the call has no result, so nothing
   * was done. `failed`: the undo failed or was denied.
   */
  status: z.enum(['pending', 'waiting', 'undone', 'cannot_undo', 'failed']),
  /** Reason why the step failed or cannot be undone. */
  reason: z.optional(z.string()),
})
export type UndoStep = z.infer<typeof UndoStep>

/** Status of a run's undo. */
export const Undo = z.object({
  /** Id of the run that undoes the calls. Decide its approvals, or cancel it, like any run. */
  id: PlatformId,
  /** Calls that changed or may have changed something, newest first. */
  steps: z.array(UndoStep),
})
export type Undo = z.infer<typeof Undo>

const byRunId = z.object({ id: PlatformId })

/** Operations to undo the calls of a run. */
export const undoOperations = {
  undoRun: {
    method: 'POST',
    path: '/api/runs/{id}/undo',
    auth: 'local',
    scope: 'run',
    subject: { found: 'run', id: 'params.id', user: 'own' },
    summary:
      'Starts to undo the calls of a run, newest first, with the same approvals as the calls. A second request returns the same undo. A run that works or waits is 409.',
    source: 'second additions 7',
    params: byRunId,
    status: 202,
    reply: z.object({ ok: z.literal(true), undo: Undo }),
    errors: [404, 409],
  },
  getRunUndo: {
    method: 'GET',
    path: '/api/runs/{id}/undo',
    auth: 'local',
    scope: 'read',
    subject: { found: 'run', id: 'params.id', user: 'own' },
    summary: 'Returns how far the undo of a run is.',
    source: 'second additions 7',
    params: byRunId,
    reply: z.object({ undo: Undo }),
    errors: [404],
  },
} as const satisfies Record<string, Operation>
