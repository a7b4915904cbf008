import type { Settings } from '@homeward/contract/agent-platform'
import type { ChannelProbe } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import { isOwnWebhook, showWebhook } from '../webhooks/webhook-address.ts'
import type { DiscordApi } from './discord-api.ts'
import {
  getDiscordApplication,
  hasCommand,
  toCommandName,
  type DiscordApplication,
} from './discord-application.ts'
import { foreignKey } from './set-discord-webhook.ts'

/** Asks which application the token belongs to, and whether it calls here. Never throws. */
export async function probeDiscord(
  api: DiscordApi,
  settings: Settings,
  signal: AbortSignal,
): Promise<ChannelProbe> {
  try {
    const application = await getDiscordApplication(api, signal)
    const command = toCommandName(settings.channel_c_command)
    const faults = findFaults(application, settings.channel_c_public_key)
    const notes =
      (await hasCommand(api, application.id, command, signal)) === false
        ? [
            `The command /${command} is not registered for all servers. Run set-webhook, or register it by hand.`,
          ]
        : []
    const { name, interactions_endpoint_url: url } = application
    return {
      ok: faults.length === 0,
      ...(name && { identity: name }),
      ...(url && { webhookUrl: showWebhook('channel_c', url) }),
      warnings: [...faults, ...notes],
    }
  } catch (error) {
    const why = ChannelError.is(error) ? error.message : 'Checking Discord failed: the request was canceled.'
    return { ok: false, warnings: [why] }
  }
}

/** Each keeps questions from coming in. */
function findFaults(application: DiscordApplication, publicKey: string | undefined): string[] {
  const faults = []
  if (application.verify_key?.toLowerCase() !== publicKey?.toLowerCase()) faults.push(foreignKey)
  const url = application.interactions_endpoint_url
  if (!url) {
    faults.push('No interactions address is set at Discord, so questions do not arrive. Run set-webhook.')
  } else if (!isOwnWebhook('channel_c', url)) {
    faults.push(
      `Discord sends interactions to another program (${showWebhook('channel_c', url)}). Run set-webhook to get them.`,
    )
  }
  return faults
}
