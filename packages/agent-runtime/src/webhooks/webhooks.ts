import type { NewWebhook, Webhook, WebhookDelivery, WebhookUpdate } from '@homeward/contract/agent-platform'

/** Webhooks that notify other programs of events. */
export interface Webhooks {
  /**
   * Creates a webhook. The secret is returned only here.
   *
   * @throws {RuntimeError} `validation_error` if the address is not allowed, `conflict` if there are already 20
   */
  create(input: NewWebhook): Promise<{ readonly webhook: Webhook; readonly secret: string }>
  /** Lists all webhooks, newest first. */
  list(): Promise<readonly Webhook[]>
  /** Returns a webhook. @throws {RuntimeError} `not_found` */
  get(id: string): Promise<Webhook>
  /** Changes a webhook, or enables a disabled one. @throws {RuntimeError} `not_found`, `validation_error` */
  update(id: string, changes: WebhookUpdate): Promise<Webhook>
  /** Deletes a webhook with its deliveries. @throws {RuntimeError} `not_found` */
  delete(id: string): Promise<void>
  /** Sends an event `webhook.test` once and returns the outcome. @throws {RuntimeError} `not_found` */
  test(id: string): Promise<WebhookDelivery>
  /** Returns the newest 100 deliveries of a webhook. @throws {RuntimeError} `not_found` */
  deliveries(id: string): Promise<readonly WebhookDelivery[]>
}
