import type { ChannelRequest } from '../../ports/channel.ts'
import { hmacSha256, isSameSecret } from '../webhooks/verify-hmac.ts'

/**
 * The `secret_token` that Telegram sends back with each webhook request: made from the bot's token, so that it is the
 * same in every process and after every restart, and nobody has to choose one. Empty without a token.
 */
export async function telegramSecret(token: string): Promise<string> {
  if (token === '') return ''
  const digest = await hmacSha256(token, 'channel_a webhook secret v1')
  // base64url: the only characters that Telegram takes
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Whether a webhook request comes from Telegram. Never without a token. */
export async function verifyTelegram(request: ChannelRequest, token: string): Promise<boolean> {
  return isSameSecret(request.header('x-telegram-bot-api-secret-token'), await telegramSecret(token))
}
