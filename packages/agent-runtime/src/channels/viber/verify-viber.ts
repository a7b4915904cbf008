import type { ChannelRequest } from '../../ports/channel.ts'
import { isHmacSha256 } from '../webhooks/verify-hmac.ts'

/** Whether the bot's token has signed the bytes of a webhook request. Never without a token. */
export async function verifyViber(request: ChannelRequest, token: string): Promise<boolean> {
  return isHmacSha256(token, request.body, request.header('x-viber-content-signature'))
}
