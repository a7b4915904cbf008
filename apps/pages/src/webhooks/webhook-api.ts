import type { ViewedQuery } from '../components/states/query-view.tsx'

/** A webhook as both applications show it. */
export interface WebhookView {
  readonly id: string
  readonly url: string
  readonly events: readonly string[]
  readonly enabled: boolean
  /** Why the server disabled it. */
  readonly disabledReason?: string | undefined
  /** Since when every attempt failed, ISO 8601. */
  readonly failingSince?: string | undefined
}

/** A delivery as both applications show it. Times are ISO 8601. */
export interface DeliveryView {
  readonly id: string
  readonly type: string
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly createdAt: string
  readonly nextAttemptAt?: string | undefined
  readonly responseCode?: number | undefined
  readonly error?: string | undefined
}

/** An event in words; events that the page does not know by their type. */
export const eventText = (events: WebhookApi['events'], type: string): string =>
  type === 'webhook.test' ? 'Test' : (events.find((event) => event.type === type)?.text ?? type)

/** What an application's server does with webhooks. */
export interface WebhookApi {
  /** The events to choose from, with what each tells. */
  readonly events: readonly { readonly type: string; readonly text: string }[]
  readonly create: (body: { readonly url: string; readonly events: readonly string[] }) => Promise<{
    readonly secret: string
  }>
  readonly update: (id: string, changes: { readonly enabled: boolean }) => Promise<unknown>
  readonly remove: (id: string) => Promise<unknown>
  readonly test: (id: string) => Promise<DeliveryView>
  /** The newest deliveries. A hook. */
  readonly useDeliveries: (id: string) => ViewedQuery<readonly DeliveryView[]>
}
