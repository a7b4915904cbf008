import type { NewWebhook, Webhook, WebhookDelivery, WebhookUpdate } from '@homeward/contract/agent-platform'

/** Webhooks: other programs that are notified of events (A30). */
export interface Webhooks {
  /**
   * Creates a webhook and gives its secret, once.
   *
   * @throws {RuntimeError} `validation_error` for an address that is not allowed, `conflict` if there are 20 already
   */
  create(input: NewWebhook): Promise<{ readonly webhook: Webhook; readonly secret: string }>
  /** All webhooks, newest first. */
  list(): Promise<readonly Webhook[]>
  /** @throws {RuntimeError} `not_found` */
  get(id: string): Promise<Webhook>
  /** Changes a webhook, or enables it again. @throws {RuntimeError} `not_found`, `validation_error` */
  update(id: string, changes: WebhookUpdate): Promise<Webhook>
  /** Deletes a webhook with its deliveries. @throws {RuntimeError} `not_found` */
  delete(id: string): Promise<void>
  /** Sends an event `webhook.test` once, and gives the outcome. @throws {RuntimeError} `not_found` */
  test(id: string): Promise<WebhookDelivery>
  /** The newest 100 deliveries of a webhook. @throws {RuntimeError} `not_found` */
  deliveries(id: string): Promise<readonly WebhookDelivery[]>
}
