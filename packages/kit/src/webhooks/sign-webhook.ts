/** What secrets of webhooks start with. */
const prefix = 'whsec_'

/**
 * Creates a webhook secret of 256 random bits in the format of Standard Webhooks: `whsec_` and base64.
 *
 * @example
 * const secret = createWebhookSecret((size) => crypto.getRandomValues(new Uint8Array(size)))
 */
export function createWebhookSecret(randomBytes: (size: number) => Uint8Array): string {
  return prefix + toBase64(randomBytes(32))
}

/** Whether a text is a secret as defined by Standard Webhooks: `whsec_`, then 24 to 64 bytes as base64. */
export function isWebhookSecret(text: string): boolean {
  const encoded = text.slice(prefix.length)
  if (!text.startsWith(prefix) || !/^[A-Za-z0-9+/]{32,88}={0,2}$/.test(encoded)) return false
  if (encoded.length % 4 !== 0) return false
  const { length } = fromBase64(encoded)
  return length >= 24 && length <= 64
}

/** A message to sign. */
export interface WebhookMessage {
  readonly id: string
  /** Seconds since the epoch. */
  readonly timestamp: number
  readonly body: string
}

/**
 * Returns the headers of a message as defined by Standard Webhooks 1.0.
 *
 * The headers are `webhook-id`, `webhook-timestamp` and `webhook-signature`, which is `v1,` and the HMAC-SHA256 of
 * `id.timestamp.body` as base64.
 *
 * @param secret `whsec_…`
 */
export async function signWebhook(
  secret: string,
  { id, timestamp, body }: WebhookMessage,
): Promise<Readonly<Record<string, string>>> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const bytes = fromBase64(secret.slice(prefix.length))
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, content))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${toBase64(signature)}`,
  }
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
}
