import * as z from 'zod/mini'
import { WebhookSecret, WebhookUrl } from '../webhook-values.ts'
import { PlatformId } from './values.ts'

/** Events that webhooks of the agent platform can ask for. */
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
  /** Why the server disabled it. Absent: it did not. */
  disabled_reason: z.optional(z.string()),
  /** Since when every attempt failed. Absent: the last one succeeded, or there was none. */
  failing_since: z.optional(z.string()),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Webhook = z.infer<typeof Webhook>

/** What a new webhook takes. */
export const NewWebhook = z.object({
  url: WebhookUrl,
  events,
  /** @default the server makes one */
  secret: z.optional(WebhookSecret),
})
export type NewWebhook = z.infer<typeof NewWebhook>

/** What may be changed of a webhook; what is left out stays. */
export const WebhookUpdate = z.object({
  url: z.optional(WebhookUrl),
  events: z.optional(events),
  /** `true` enables one that was disabled: it gets events from then on. `false` drops what waits. */
  enabled: z.optional(z.boolean()),
})
export type WebhookUpdate = z.infer<typeof WebhookUpdate>

/** One event on its way to one webhook. Its body is not shown. */
export const WebhookDelivery = z.object({
  /** The header `webhook-id`: the same on every attempt. */
  id: z.string(),
  type: z.string(),
  status: z.enum(['pending', 'delivered', 'failed']),
  /** Number of attempts that have begun. */
  attempts: z.int(),
  /** When the event happened. */
  created_at: z.string(),
  last_attempt_at: z.optional(z.string()),
  /** When the next attempt is due. Absent: at once, or there is none. */
  next_attempt_at: z.optional(z.string()),
  /** HTTP status of the last response. Absent: there was none. */
  response_code: z.optional(z.int()),
  /** Why the last attempt failed. */
  error: z.optional(z.string()),
})
export type WebhookDelivery = z.infer<typeof WebhookDelivery>
