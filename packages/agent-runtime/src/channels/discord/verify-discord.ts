import type { ChannelRequest } from '../../ports/channel.ts'
import { fromHex } from '../webhooks/verify-hmac.ts'

/** How far the time of a request may be from ours, in seconds: as long as its token lives. Discord names no limit. */
const windowSeconds = 900

const algorithm = { name: 'Ed25519' } as const

/** Whether a text is a public key of Discord: 32 bytes in hexadecimal digits. */
export function isPublicKey(text: string | undefined): text is string {
  return text !== undefined && /^[0-9a-f]{64}$/i.test(text)
}

/** Whether a webhook request comes from Discord, and lately. Never with a key that is missing or none. */
export async function verifyDiscord(
  request: ChannelRequest,
  publicKey: string | undefined,
  nowMs: number,
): Promise<boolean> {
  const timestamp = request.header('x-signature-timestamp') ?? ''
  const signature = request.header('x-signature-ed25519') ?? ''
  if (!isPublicKey(publicKey) || !/^\d{1,12}$/.test(timestamp)) return false
  // first: what is no digit would be read as 0
  if (!/^[0-9a-f]{128}$/i.test(signature)) return false
  if (Math.abs(Math.floor(nowMs / 1000) - Number(timestamp)) > windowSeconds) return false
  return isEd25519(publicKey, signature, signedBytes(timestamp, request.body))
}

/** Whether a signature was made by the owner of a key. Both are hexadecimal digits of the right length. */
export async function isEd25519(
  publicKey: string,
  signature: string,
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', fromHex(publicKey), algorithm, false, ['verify'])
    return await crypto.subtle.verify(algorithm, key, fromHex(signature), content)
  } catch {
    // 32 bytes that are no point of the curve
    return false
  }
}

/** The bytes as they came: a body that was parsed and written again is another one. */
function signedBytes(timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(timestamp)
  const bytes = new Uint8Array(start.length + body.length)
  bytes.set(start)
  bytes.set(body, start.length)
  return bytes
}
