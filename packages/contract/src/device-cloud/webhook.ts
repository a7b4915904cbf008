import * as z from 'zod/mini'
import { WebhookSecret, WebhookUrl } from '../webhook-values.ts'
import { DeviceFilterView } from './device-filter.ts'
import { Id, Timestamp } from './text.ts'

/** Events to which webhooks of the device cloud can subscribe. */
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

/** A webhook as its owner sees it, without the secret. */
export const Webhook = z.object({
  id: Id,
  url: z.string(),
  events: z.array(z.string()),
  /** Devices whose events are delivered, if an API token with a filter created the webhook. Absent for all devices. */
  filter: z.optional(DeviceFilterView),
  /** Whether events are delivered. */
  enabled: z.boolean(),
  /** Reason why the server disabled the webhook. Absent otherwise. */
  disabledReason: z.optional(z.string()),
  /** Time since which every attempt has failed. Absent if the last attempt succeeded or none was made. */
  failingSince: z.optional(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
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
  createdAt: Timestamp,
  lastAttemptAt: z.optional(Timestamp),
  /** Time of the next attempt. Absent if it is due now or no attempt follows. */
  nextAttemptAt: z.optional(Timestamp),
  /** HTTP status of the last response. Absent without a response. */
  responseCode: z.optional(z.int()),
  /** Reason for the last failed attempt. */
  error: z.optional(z.string()),
})
export type WebhookDelivery = z.infer<typeof WebhookDelivery>
