import * as z from 'zod/mini'
import { Json, JsonObject } from '../json-value.ts'
import { orAbsent, PlatformId, Slug } from './values.ts'

/**
 * Reason for a wait. `approval`: a decision about a tool call. `question`: an answer of a person. `client_tool`: the
 * result of a client's tool. `event`: an event or a time. `login`: a sign-in of a person. `budget`: approval of
 * further cost.
 */
export const WaitKind = z.enum(['approval', 'question', 'client_tool', 'event', 'login', 'budget'])
export type WaitKind = z.infer<typeof WaitKind>

/** Status of a wait. `expired`: nobody answered in time. `cancelled`: the run ended first. */
export const WaitStatus = z.enum(['open', 'answered', 'declined', 'expired', 'cancelled'])
export type WaitStatus = z.infer<typeof WaitStatus>

/** A current or past wait of a run. A waiting run uses no worker and no model. */
export const Wait = z.object({
  id: PlatformId,
  /** Id of the waiting run, which may be below the started run. */
  run_id: PlatformId,
  kind: WaitKind,
  status: WaitStatus,
  /** Text for the person. */
  message: z.optional(z.string()),
  /** JSON Schema of the answer. Absent: any JSON; for a `question`, a string. */
  schema: z.optional(JsonObject),
  /** Tool of the waiting call. */
  tool: z.optional(z.string()),
  /** Arguments of the waiting call, without secrets. */
  args: z.optional(Json),
  /** Name of the event. Absent for a wait for a time. */
  event: z.optional(z.string()),
  /** Address of the sign-in. */
  url: z.optional(z.string()),
  created_at: z.string(),
  /** Expiry of the wait, or the time that it waits for. */
  expires_at: z.optional(z.string()),
  answered_at: z.optional(z.string()),
  /**
   * Who answered: the user of the caller, `token:<name>`, `local`, `signal:<id>`, or a person in a messenger, such as
   * `telegram:42`. Absent if nobody did.
   */
  answered_by: z.optional(z.string()),
  /** The answer; for an `approval`, the decision. */
  data: z.optional(Json),
})
export type Wait = z.infer<typeof Wait>

/** A wait in a list, with the agent or graph of its run. */
export const ListedWait = z.object({
  ...Wait.shape,
  /** Exactly one of `agent_id` and `graph_id` is present. */
  agent_id: z.optional(Slug),
  graph_id: z.optional(Slug),
  user_id: z.optional(PlatformId),
})
export type ListedWait = z.infer<typeof ListedWait>

/** An answer to a wait: either `data` or `decline`. */
export const WaitAnswer = z
  .object({
    /**
     * Must match the `schema` of the wait. For an `approval`, `{"decision": …}` as `decideApproval` takes it. For a
     * `client_tool`, any JSON; `{"error": "…"}` is a failed call.
     */
    data: z.optional(Json),
    /** Declines to answer. The model is informed. A declined approval counts as denied. */
    decline: orAbsent(z.literal(true)),
    /** With `decline`: a reason that the model reads. At most 2,000 characters. */
    reason: orAbsent(z.string().check(z.maxLength(2000))),
  })
  .check(
    z.refine(({ data, decline }) => (data === undefined) !== (decline === undefined), {
      error: 'exactly one of "data" and "decline" is required',
      path: ['data'],
    }),
    z.refine(({ decline, reason }) => decline !== undefined || reason === undefined, {
      error: 'is allowed with "decline" only',
      path: ['reason'],
    }),
  )
export type WaitAnswer = z.infer<typeof WaitAnswer>
