import type { ChannelId } from '@homeward/contract/agent-platform'
import { channelNames } from '../settings/setting-texts.ts'

/** The last step everywhere: only people whom the operator has let in may write. */
const letIn = 'Write to the bot, enter the code from its reply under People and groups, then write again.'

/** What to do first, in a few words. */
export const firstSteps: Readonly<Record<ChannelId, readonly string[]>> = {
  channel_a: [
    'Write /newbot to @BotFather in Telegram and choose a name.',
    'Enter the bot token in the settings below, and choose the agent that answers.',
    'You need no public address: the server polls Telegram for new messages.',
    letIn,
  ],
  channel_b: [
    'Create an app at api.slack.com/apps from the manifest in the guide, and install it in your workspace.',
    'Enter its bot token and signing secret in the settings below, and choose the agent that answers.',
    'Enter the address below as Request URL under Event Subscriptions. Slack must be able to reach the address over https.',
    letIn,
  ],
  channel_c: [
    'Create an application at discord.com/developers, with a bot, and invite it to your server.',
    'Enter its bot token and public key in the settings below, and choose the agent that answers.',
    'Set the webhook below. Discord must be able to reach the address over https.',
    letIn,
  ],
  channel_d: [
    'Start a bridge, such as signal-cli-rest-api, beside this server.',
    'Enter its address and a secret of your choice in the settings below, and choose the agent that answers.',
    'Configure the bridge to post messages to the address below.',
    letIn,
  ],
  channel_e: [
    'Create a bot account for Viber and take its authentication token.',
    'Enter the token in the settings below, and choose the agent that answers.',
    'Set the webhook below. Viber must be able to reach the address over https.',
    letIn,
  ],
}

/** Channels whose platform can be told where to call (A1). */
export const registersWebhook: ReadonlySet<string> = new Set(['channel_a', 'channel_c', 'channel_e'])

/** Channels that need no public address: the server asks the platform for messages. A webhook is a choice there. */
export const polls: ReadonlySet<string> = new Set(['channel_a'])

/** Whether a name is one of the five documented channels. */
export function isChannelId(name: string): name is ChannelId {
  return Object.hasOwn(channelNames, name)
}
