import type { ChannelRequest } from '../../ports/channel.ts'
import { isHmacSha256, isSameSecret } from '../webhooks/verify-hmac.ts'

/**
 * Whether a request comes from the bridge: it is signed with the secret (`X-Hub-Signature-256`) or holds it
 * (`Authorization: Bearer`, or `?token=` for a bridge that can only be given an address). What is there decides: a wrong
 * signature is not made good by a token. Without a secret only this very machine is trusted.
 */
export async function isFromBridge(request: ChannelRequest, secret: string | undefined): Promise<boolean> {
  if (!secret) return request.isLocal
  const signature = request.header('x-hub-signature-256')
  if (signature !== undefined) {
    const hex = /^sha256=([0-9a-f]{64})$/i.exec(signature)?.[1]
    return isHmacSha256(secret, request.body, hex)
  }
  const authorization = request.header('authorization')
  if (authorization !== undefined) {
    return isSameSecret(/^bearer +(.+)$/i.exec(authorization)?.[1], secret)
  }
  return isSameSecret(new URLSearchParams(request.search).get('token') ?? undefined, secret)
}
