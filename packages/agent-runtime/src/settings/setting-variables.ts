import { channelPlatforms, type SettingKey } from '@homeward/contract/agent-platform'

/** Names under which the environment may hold a setting; the documented one first (A1). */
export function variablesOf(key: SettingKey): string[] {
  const names: string[] = [key]
  for (const [channel, platform] of Object.entries(channelPlatforms)) {
    if (!key.startsWith(`${channel}_`)) continue
    const rest = key.slice(channel.length + 1)
    names.push(rest.startsWith(`${platform}_`) ? rest : `${platform}_${rest}`)
  }
  return names.map((name) => name.toUpperCase())
}
