import type { ChannelId } from '@homeward/contract/agent-platform'
import { channelNames, nameSettings } from '../settings/setting-texts.ts'

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

/** Warnings of the server that a person reads more easily in other words. */
const plainWarnings: readonly (readonly [RegExp, string])[] = [
  [/^No agent answers here\b.*/, 'No agent answers here. Choose one in the settings.'],
  [/^(\w+) \w+ failed: the connection failed.*/, '$1 cannot be reached.'],
  [/^(\w+) \w+ failed: .*\b(?:401|403|404|Unauthorized|Not Found)\b.*/i, '$1 does not accept the token.'],
  [
    /^No sender is allowed yet: access is pairing\b.*/,
    'Nobody may write yet. Send the bot a message, then enter the code from its reply.',
  ],
  [/^Senders waiting for approval: (\d+).*/, 'People and groups who wait to be let in: $1.'],
]

/** A warning in the words of people, with the labels of settings. */
export function toldWarning(warning: string): string {
  const plain = plainWarnings.find(([pattern]) => pattern.test(warning))
  return plain ? warning.replace(...plain) : nameSettings(warning)
}

/** Channels whose platform can be told where to call (A1). */
export const registersWebhook: ReadonlySet<string> = new Set(['channel_a', 'channel_c', 'channel_e'])

/** Channels that need no public address: the server asks the platform for messages. A webhook is a choice there. */
export const polls: ReadonlySet<string> = new Set(['channel_a'])

/** Whether a name is one of the five documented channels. */
export function isChannelId(name: string): name is ChannelId {
  return Object.hasOwn(channelNames, name)
}
