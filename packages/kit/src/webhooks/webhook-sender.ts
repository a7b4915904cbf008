/** A signed request to a webhook. */
export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

/** What a webhook responded. Its body is not read. */
export interface WebhookResponse {
  readonly status: number
  /** Milliseconds that `Retry-After` asks for. */
  readonly retryAfterMs?: number | undefined
}

/** Sends requests to webhooks. */
export interface WebhookSender {
  /**
   * Checks the address of a new webhook.
   *
   * @returns why it cannot be used; undefined if it can.
   */
  check(url: URL, signal?: AbortSignal): Promise<string | undefined>

  /**
   * Sends a request once. Follows no redirect, and connects to no address that {@link check} rejects, whatever its name
   * resolves to at that moment.
   *
   * @throws {WebhookFailure} if there is no response.
   */
  send(request: WebhookRequest): Promise<WebhookResponse>
}

/** Why there is no response: a sentence that may be shown, without secrets. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure'
}
