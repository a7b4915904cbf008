import { channelPlatforms, type ChannelId } from '@homeward/contract/agent-platform'

/** Whether an address is the webhook of a channel of a server like this one, under either of its names (A1). */
export function isOwnWebhook(channel: ChannelId, address: string): boolean {
  if (!URL.canParse(address)) return false
  const names = [channel, channelPlatforms[channel]]
  const { pathname } = new URL(address)
  return names.some((name) => pathname.endsWith(`/api/channels/${name}/webhook`))
}

/** An address as it may be shown: where others keep secrets in theirs is not known. */
export function showWebhook(channel: ChannelId, address: string): string {
  if (!URL.canParse(address)) return 'an address that is no URL'
  const { origin, pathname } = new URL(address)
  return isOwnWebhook(channel, address) ? origin + pathname : `${origin}/…`
}
