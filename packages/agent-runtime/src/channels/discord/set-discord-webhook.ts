import type { Settings } from '@homeward/contract/agent-platform'
import { ChannelError } from '../channel-error.ts'
import type { DiscordApi } from './discord-api.ts'
import {
  getDiscordApplication,
  registerCommands,
  setInteractionsUrl,
  toCommandName,
} from './discord-application.ts'
import { isPublicKey } from './verify-discord.ts'

/** Registers the address for interactions and the commands. A repeat does no harm. @throws {ChannelError} */
export async function setDiscordWebhook(
  api: DiscordApi,
  settings: Settings,
  webhookUrl: string,
  signal: AbortSignal,
): Promise<void> {
  const attempt = 'Setting the Discord interactions address'
  const url = URL.canParse(webhookUrl) ? new URL(webhookUrl) : undefined
  if (url?.protocol !== 'https:') {
    throw new ChannelError(
      'permanent',
      `${attempt} failed: Discord calls only https addresses. Use an https address.`,
    )
  }
  const { channel_c_public_key: publicKey } = settings
  if (!isPublicKey(publicKey)) {
    throw new ChannelError(
      'permanent',
      `${attempt} failed: channel_c_public_key must be 64 hexadecimal digits. Copy it from the page General Information.`,
    )
  }
  const { id, verify_key: verifyKey } = await getDiscordApplication(api, signal)
  if (isPublicKey(verifyKey) && verifyKey.toLowerCase() !== publicKey.toLowerCase()) {
    throw new ChannelError('permanent', `${attempt} failed: ${foreignKey}`)
  }
  await setInteractionsUrl(api, url.href, signal)
  await registerCommands(api, id, toCommandName(settings.channel_c_command), signal)
}

/** What is wrong when the key in the settings is not the application's. */
export const foreignKey =
  'channel_c_public_key and channel_c_bot_token belong to different applications. Copy the key from the page General Information.'
