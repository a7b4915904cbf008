import * as z from 'zod/mini'
import { WebhookSecret, WebhookUrl } from '../webhook-values.ts'
import { DeviceFilterView } from './device-filter.ts'
import { Id, Timestamp } from './text.ts'

/** Events that webhooks of the device cloud can ask for. */
export const WebhookEvent = z.enum([
  'device.registered',
  'device.online',
  'device.offline',
  'device.deleted',
  'search.settled',
  'group.settled',
  'upload.settled',
  'fleet.offline_share',
])
export type WebhookEvent = z.infer<typeof WebhookEvent>

const events = z.array(WebhookEvent).check(z.minLength(1), z.maxLength(WebhookEvent.options.length))

/** A webhook as its owner sees it: never its secret. */
export const Webhook = z.object({
  id: Id,
  url: z.string(),
  events: z.array(z.string()),
  /** The only devices whose events are delivered. Absent: all. An API token with a filter created it. */
  filter: z.optional(DeviceFilterView),
  /** Whether events are delivered. */
  enabled: z.boolean(),
  /** Why the server disabled it. Absent: it did not. */
  disabledReason: z.optional(z.string()),
  /** Since when every attempt failed. Absent: the last one succeeded, or there was none. */
  failingSince: z.optional(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
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
  createdAt: Timestamp,
  lastAttemptAt: z.optional(Timestamp),
  /** When the next attempt is due. Absent: at once, or there is none. */
  nextAttemptAt: z.optional(Timestamp),
  /** HTTP status of the last response. Absent: there was none. */
  responseCode: z.optional(z.int()),
  /** Why the last attempt failed. */
  error: z.optional(z.string()),
})
export type WebhookDelivery = z.infer<typeof WebhookDelivery>
