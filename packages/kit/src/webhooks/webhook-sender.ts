/** A signed request to a webhook. */
export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

/** Response of a webhook. The body is not read. */
export interface WebhookResponse {
  readonly status: number
  /** Delay that `Retry-After` requests, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** Sends requests to webhooks. */
export interface WebhookSender {
  /**
   * Checks the address of a new webhook.
   *
   * @returns the reason if the address is not allowed, else undefined.
   */
  check(url: URL, signal?: AbortSignal): Promise<string | undefined>

  /**
   * Sends a request once.
   *
   * Follows no redirect, and never connects to an address that {@link check} rejects, even if the DNS entry has
   * changed since.
   *
   * @throws {WebhookFailure} if there is no response.
   */
  send(request: WebhookRequest): Promise<WebhookResponse>
}

/** Error for a missing response. The message is safe to show and contains no secrets. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure'
}
