import * as z from 'zod/mini'
import { WebhookSecret, WebhookUrl } from '../webhook-values.ts'
import { PlatformId } from './values.ts'

/** Events to which webhooks of the agent platform can subscribe. */
export const WebhookEvent = z.enum([
  'run.completed',
  'run.failed',
  'approval.requested',
  'wait.opened',
  'wait.settled',
  'task.completed',
  'task.failed',
  'channel.message_failed',
])
export type WebhookEvent = z.infer<typeof WebhookEvent>

const events = z.array(WebhookEvent).check(z.minLength(1), z.maxLength(WebhookEvent.options.length))

/** A webhook, without its secret. */
export const Webhook = z.object({
  id: PlatformId,
  url: z.string(),
  events: z.array(z.string()),
  /** Whether events are delivered. */
  enabled: z.boolean(),
  /** Reason why the server disabled the webhook. Absent otherwise. */
  disabled_reason: z.optional(z.string()),
  /** Time since which every attempt has failed. Absent if the last attempt succeeded or none was made. */
  failing_since: z.optional(z.string()),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Webhook = z.infer<typeof Webhook>

/** Fields of a new webhook. */
export const NewWebhook = z.object({
  url: WebhookUrl,
  events,
  /** Secret for signatures. @default the server creates one */
  secret: z.optional(WebhookSecret),
})
export type NewWebhook = z.infer<typeof NewWebhook>

/** Fields of a webhook to change. Absent fields stay unchanged. */
export const WebhookUpdate = z.object({
  url: z.optional(WebhookUrl),
  events: z.optional(events),
  /** `true` enables a disabled webhook for later events. `false` removes waiting deliveries. */
  enabled: z.optional(z.boolean()),
})
export type WebhookUpdate = z.infer<typeof WebhookUpdate>

/** The delivery of one event to one webhook, without the body. */
export const WebhookDelivery = z.object({
  /** The `webhook-id` header, the same for every attempt. */
  id: z.string(),
  type: z.string(),
  status: z.enum(['pending', 'delivered', 'failed']),
  /** Number of attempts that have begun. */
  attempts: z.int(),
  /** Time of the event. */
  created_at: z.string(),
  last_attempt_at: z.optional(z.string()),
  /** Time of the next attempt. Absent if it is due now or no attempt follows. */
  next_attempt_at: z.optional(z.string()),
  /** HTTP status of the last response. Absent without a response. */
  response_code: z.optional(z.int()),
  /** Reason for the last failed attempt. */
  error: z.optional(z.string()),
})
export type WebhookDelivery = z.infer<typeof WebhookDelivery>
