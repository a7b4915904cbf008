import type { ChannelRequest } from '../../ports/channel.ts'
import { isHmacSha256 } from '../webhooks/verify-hmac.ts'

/** How far the time of a request may be from ours, in seconds, in both directions. */
const windowSeconds = 300

/** Whether a webhook request comes from Slack, and lately. Never without a signing secret. */
export async function verifySlack(
  request: ChannelRequest,
  signingSecret: string | undefined,
  nowMs: number,
): Promise<boolean> {
  const timestamp = request.header('x-slack-request-timestamp') ?? ''
  const signature = /^v0=([0-9a-f]{64})$/i.exec(request.header('x-slack-signature') ?? '')?.[1]
  if (!/^\d{1,12}$/.test(timestamp) || signature === undefined) return false
  if (Math.abs(Math.floor(nowMs / 1000) - Number(timestamp)) > windowSeconds) return false
  return isHmacSha256(signingSecret, signedBytes(timestamp, request.body), signature)
}

/** The bytes as they came: a body that was parsed and written again is another one. */
function signedBytes(timestamp: string, body: Uint8Array): Uint8Array {
  const start = new TextEncoder().encode(`v0:${timestamp}:`)
  const bytes = new Uint8Array(start.length + body.length)
  bytes.set(start)
  bytes.set(body, start.length)
  return bytes
}
