import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { clearable, Done, orAbsent, OutputSchema, PlatformId, shortText, Slug } from './values.ts'

/** Method that verifies calls of a trigger. */
export const TriggerVerification = z.enum(['standard', 'github', 'stripe', 'token'])
export type TriggerVerification = z.infer<typeof TriggerVerification>

const secret = z
  .string()
  .check(
    z.minLength(16),
    z.maxLength(200),
    z.regex(/^[!-~](?:[ -~]*[!-~])?$/, 'must be printable ASCII without spaces around it'),
  )
const template = z.string().check(z.minLength(1), z.maxLength(100_000))
const conversationTemplate = z.string().check(z.minLength(1), z.maxLength(1000))
const perMinute = z.int().check(z.gte(1), z.lte(10_000))

/** An address that another program calls to start work. The secret is returned only at creation. */
export const Trigger = z.object({
  id: PlatformId,
  name: z.string(),
  /** Exactly one of `agent_id`, `graph_id` and `event` is present. */
  agent_id: z.optional(Slug),
  graph_id: z.optional(Slug),
  /** Name of the signal to send. */
  event: z.optional(z.string()),
  verify: TriggerVerification,
  /** Address for the other program to call. */
  url: z.string(),
  /** Template of the task or of the signal's data. Absent: `{{body}}`. */
  input: z.optional(z.string()),
  /** JSON Schema of bodies that start work. Other bodies are ignored. */
  filter: z.optional(OutputSchema),
  /** Template of the conversation id. */
  conversation: z.optional(z.string()),
  /** Maximum number of valid calls per minute. */
  per_minute: z.int(),
  enabled: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Trigger = z.infer<typeof Trigger>

/** A new trigger. Exactly one of `agent_id`, `graph_id` and `event` is required. */
export const NewTrigger = z
  .object({
    name: shortText(200),
    agent_id: orAbsent(Slug),
    graph_id: orAbsent(Slug),
    /** Name of the signal to send. Runs that wait for the signal continue. */
    event: orAbsent(shortText(200)),
    verify: TriggerVerification,
    /** 16 to 200 printable characters. @default the server creates one */
    secret: orAbsent(secret),
    /**
     * Template of the task: `{{body}}` is the whole body as JSON, `{{body.a.b}}` one value. Default `{{body}}`.
     *
     * With `event`, the template of the signal's data: JSON whose strings are templates, or one such string. A string
     * with only a placeholder becomes the value itself.
     */
    input: orAbsent(template),
    /** JSON Schema of the body. Calls with other bodies are ignored. */
    filter: orAbsent(OutputSchema),
    /** Template of the conversation id, with placeholders as in `input`. Not allowed for graphs and events. */
    conversation: orAbsent(conversationTemplate),
    /** Maximum number of valid calls per minute. Default 60. */
    per_minute: orAbsent(perMinute),
    /** Default true. */
    enabled: orAbsent(z.boolean()),
  })
  .check(
    z.refine(
      ({ agent_id, graph_id, event }) => [agent_id, graph_id, event].filter((one) => one).length === 1,
      {
        error: 'exactly one of agent_id, graph_id and event is needed',
      },
    ),
  )
export type NewTrigger = z.infer<typeof NewTrigger>

/** A change of a trigger. Absent fields keep their value; `null` and the empty string clear it. */
export const TriggerUpdate = z.object({
  name: z.optional(shortText(200)),
  /** Replaces the target. At most one of `agent_id`, `graph_id` and `event`. */
  agent_id: orAbsent(Slug),
  graph_id: orAbsent(Slug),
  event: orAbsent(shortText(200)),
  /** New verification. Requires a new `secret`, because the formats differ. */
  verify: orAbsent(TriggerVerification),
  /** Replaces the secret. The old one stays valid for 24 hours. */
  secret: orAbsent(secret),
  input: clearable(template),
  filter: clearable(OutputSchema),
  conversation: clearable(conversationTemplate),
  per_minute: clearable(perMinute),
  enabled: orAbsent(z.boolean()),
})
export type TriggerUpdate = z.infer<typeof TriggerUpdate>

/**
 * Outcome of a valid call.
 *
 * - `started`: a task was queued.
 * - `signalled`: a signal was sent.
 * - `ignored`: the filter does not match the body.
 * - `duplicate`: an earlier call had the same delivery id.
 * - `refused`: the target no longer exists, or the body exceeds a limit.
 */
export const TriggerOutcome = z.enum(['started', 'signalled', 'ignored', 'duplicate', 'refused'])
export type TriggerOutcome = z.infer<typeof TriggerOutcome>

/** A valid call of a trigger. */
export const TriggerDelivery = z.object({
  id: PlatformId,
  at: z.string(),
  outcome: TriggerOutcome,
  task_id: z.optional(PlatformId),
  /** Reason why the call was ignored or rejected. */
  reason: z.optional(z.string()),
})
export type TriggerDelivery = z.infer<typeof TriggerDelivery>

const byTriggerId = z.object({ id: PlatformId })
const source = 'additions 2, 1.6'

/** Operations on triggers, with which other programs start work. */
export const triggerOperations = {
  createTrigger: {
    method: 'POST',
    path: '/api/triggers',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'trigger.created', details: 'names' },
    summary: 'Creates a trigger, and returns its secret once. There are at most 1,000.',
    source,
    body: NewTrigger,
    status: 201,
    reply: z.object({
      trigger: Trigger,
      /** Enter it in the program that calls the trigger. */
      secret: z.string(),
    }),
    errors: [404, 409],
  },
  listTriggers: {
    method: 'GET',
    path: '/api/triggers',
    auth: 'local',
    scope: 'read',
    subject: 'all',
    summary: 'Lists the triggers, newest first.',
    source,
    reply: z.object({ triggers: z.array(Trigger) }),
  },
  getTrigger: {
    method: 'GET',
    path: '/api/triggers/{id}',
    auth: 'local',
    scope: 'read',
    subject: 'all',
    summary: 'Returns a trigger.',
    source,
    params: byTriggerId,
    reply: z.object({ trigger: Trigger }),
    errors: [404],
  },
  updateTrigger: {
    method: 'PUT',
    path: '/api/triggers/{id}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'trigger.updated', details: 'names' },
    summary:
      'Changes a trigger. Absent fields keep their value. After a new `secret`, the old one stays valid for 24 hours.',
    source,
    params: byTriggerId,
    body: TriggerUpdate,
    reply: z.object({ ok: z.literal(true), trigger: Trigger }),
    errors: [404],
  },
  deleteTrigger: {
    method: 'DELETE',
    path: '/api/triggers/{id}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'trigger.deleted' },
    summary: 'Deletes a trigger with its deliveries. Its tasks stay.',
    source,
    params: byTriggerId,
    reply: Done,
    errors: [404],
  },
  listTriggerDeliveries: {
    method: 'GET',
    path: '/api/triggers/{id}/deliveries',
    auth: 'local',
    scope: 'read',
    subject: 'all',
    summary: 'Lists the newest 100 valid calls of a trigger, newest first. They are stored for seven days.',
    source,
    params: byTriggerId,
    reply: z.object({ deliveries: z.array(TriggerDelivery) }),
    errors: [404],
  },
  callTrigger: {
    method: 'POST',
    path: '/api/hooks/{id}',
    auth: 'webhook',
    summary:
      'Starts the work of a trigger. The signature or the token of the trigger authenticates the call. The body is JSON or a form, at most 1 MiB.',
    source,
    params: byTriggerId,
    status: 202,
    reply: z.object({ ok: z.literal(true), outcome: TriggerOutcome, task_id: z.optional(PlatformId) }),
    errors: [404, 413, 429, 503],
  },
} as const satisfies Record<string, Operation>
