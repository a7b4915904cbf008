import type { Channel, ChannelContext } from '../../../ports/channel.ts'
import { addressOf, channelContext, fixture, fixtureText } from '../../testing/platform-kit.ts'
import { createTelegramChannel } from '../create-telegram-channel.ts'
import { telegramSecret } from '../verify-telegram.ts'

/** Of the bot of the fixtures: its id is what the token begins with. */
export const token = '200000002:AAHq3v-testTOKENtestTOKENtestTOKEN0'
/** Of which no error, log or status may show anything. */
export const secrets = [token, token.slice(token.indexOf(':') + 1), await telegramSecret(token)]
/** Address of a method. */
export const methodUrl = (method: string): string => `https://api.telegram.org/bot${token}/${method}`

/** The channel of the fixtures' bot. */
export function telegramChannel(changes: Partial<ChannelContext> = {}): Channel {
  return createTelegramChannel({ channel_a_bot_token: token }, channelContext(changes))
}

/** A `fetch` that knows the bot's name and counts how often it is asked. */
export function getMeOnly(): { readonly fetch: typeof fetch; asked: number } {
  const known = {
    asked: 0,
    fetch: async (input: Parameters<typeof fetch>[0]) => {
      if (addressOf(input) !== methodUrl('getMe')) throw new TypeError('fetch failed')
      known.asked += 1
      return new Response(fixtureText('telegram-api-getMe.json'))
    },
  }
  return known
}

/** An update of a fixture, with another message. */
export function updateWith(file: string, changes: Record<string, unknown>): Record<string, unknown> {
  const update = fixture(file)
  return { ...update, message: { ...(update['message'] as object), ...changes } } // fixtures of messages have one
}

/** A message in a group with one entity around the first place of `named`. */
export function groupText(
  text: string,
  type: string,
  named: string,
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  const entities = [{ type, offset: text.indexOf(named), length: named.length, ...changes }]
  return updateWith('telegram-message-group-plain.json', { text, entities })
}
