import type { Channel, ChannelContext } from '../../../ports/channel.ts'
import { channelContext } from '../../testing/platform-kit.ts'
import { createViberChannel } from '../create-viber-channel.ts'

/** Published by Viber's own libraries as an example. */
export const token = '44dafb7e0f40021e-61a47a1e6778d187-f2c5a676a07050b3'
/** Address of a method. */
export const methodUrl = (method: string): string => `https://chatapi.viber.com/pa/${method}`

/** The channel of the example's bot. */
export function viberChannel(changes: Partial<ChannelContext> = {}): Channel {
  return createViberChannel({ channel_e_auth_token: token }, channelContext(changes))
}
