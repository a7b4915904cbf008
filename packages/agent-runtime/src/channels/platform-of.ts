import { channelPlatforms } from '@homeward/contract/agent-platform'

/** `channel_a` → `telegram`; the name itself for a channel of your app's own. */
export function platformOf(channel: string): string {
  return (channelPlatforms as Readonly<Record<string, string>>)[channel] ?? channel
}
