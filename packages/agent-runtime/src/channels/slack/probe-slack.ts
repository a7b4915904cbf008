import * as z from 'zod/mini'
import type { ChannelProbe } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import type { SlackApi } from './slack-api.ts'

const Identity = z.object({
  user: z.optional(z.string()),
  team: z.optional(z.string()),
  bot_id: z.optional(z.string()),
})

/** Scopes without which something of the channel does not work, and what. */
const scopes = {
  'chat:write': 'answers cannot be sent',
  'app_mentions:read': 'mentions do not arrive',
  'im:history': 'direct messages do not arrive',
} as const

/** Asks who the token belongs to and what it may do. Never throws. */
export async function probeSlack(api: SlackApi, signal: AbortSignal): Promise<ChannelProbe> {
  try {
    const { json, headers } = await api.call('auth.test', {}, { signal })
    const { user, team, bot_id: botId } = Identity.parse(json)
    const warnings = missingScopes(headers.get('x-oauth-scopes'))
    const isBot = botId !== undefined
    if (!isBot)
      warnings.unshift('channel_b_bot_token is not a bot token. Use the Bot User OAuth Token (xoxb-…).')
    const identity = [user && `@${user}`, team && `(${team})`].filter(Boolean).join(' ')
    return {
      ok: isBot && !warnings.some((warning) => warning.includes('chat:write')),
      ...(identity !== '' && { identity }),
      warnings,
    }
  } catch (error) {
    const why = ChannelError.is(error) ? error.message : 'Checking Slack failed: the request was canceled.'
    return { ok: false, warnings: [why] }
  }
}

/** Slack tells in a header what a token may do; a proxy may leave it out. */
function missingScopes(header: string | null): string[] {
  if (header === null) return []
  const granted = new Set(header.split(',').map((scope) => scope.trim()))
  return Object.entries(scopes)
    .filter(([scope]) => !granted.has(scope))
    .map(
      ([scope, effect]) =>
        `The scope ${scope} is missing: ${effect}. Add it under OAuth & Permissions and install the app again.`,
    )
}
