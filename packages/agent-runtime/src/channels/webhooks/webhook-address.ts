import { channelPlatforms, type ChannelId } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../ports/runtime-error.ts'

/**
 * The webhook of a channel of a server that is reached at `baseUrl`.
 *
 * @throws {RuntimeError} `validation_error` for a query or a fragment: the path would become a part of it, and the
 * platform would call another address for good. For a user or a password, too: the platform would keep them.
 */
export function toWebhookUrl(baseUrl: string, channel: string): string {
  if (/[?#]/.test(baseUrl) || hasUser(baseUrl)) {
    const rule =
      '"base_url" must be a URL without query, fragment, user name and password. Send the address alone.'
    throw new RuntimeError('validation_error', `Setting a webhook failed: ${rule}`)
  }
  return `${baseUrl.replace(/\/+$/, '')}/api/channels/${channel}/webhook`
}

function hasUser(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { username, password } = new URL(address)
  return username !== '' || password !== ''
}

/** Whether an address is the webhook of a channel of a server like this one, under either of its names (A1). */
export function isOwnWebhook(channel: ChannelId, address: string): boolean {
  if (!URL.canParse(address)) return false
  const names = [channel, channelPlatforms[channel]]
  const { pathname } = new URL(address)
  return names.some((name) => pathname.endsWith(`/api/channels/${name}/webhook`))
}

/** An address as it may be shown: where others keep secrets in theirs is not known. */
export function showWebhook(channel: ChannelId, address: string): string {
  if (!URL.canParse(address)) return 'an invalid address'
  const { origin, pathname } = new URL(address)
  return isOwnWebhook(channel, address) ? origin + pathname : `${origin}/…`
}
