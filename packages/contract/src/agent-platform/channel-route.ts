import * as z from 'zod/mini'
import { CustomId, Slug } from './values.ts'

/** Assigns an agent to a chat. */
export const ChannelRoute = z.object({
  /**
   * The platform's id of the chat, such as `100000001` on Telegram or `C0CHAN00001` on Slack. To select one thread,
   * use the part of a message's `conversation_id` after the name of the channel.
   */
  conversation: CustomId,
  agent_id: Slug,
})
export type ChannelRoute = z.infer<typeof ChannelRoute>

/** All routes of a channel, at most 1,000, one per conversation. Routes missing from the list are removed. */
export const ChannelRoutes = z.object({ routes: z.array(ChannelRoute).check(z.maxLength(1000)) })
export type ChannelRoutes = z.infer<typeof ChannelRoutes>
