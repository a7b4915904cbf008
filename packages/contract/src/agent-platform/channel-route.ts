import * as z from 'zod/mini'
import { CustomId, Slug } from './values.ts'

/** Which agent answers in a chat. */
export const ChannelRoute = z.object({
  /**
   * The platform's id of the chat, such as `100000001` on Telegram or `C0CHAN00001` on Slack. Also the end of a message's
   * `conversation_id` after the name of the channel, which names one thread.
   */
  conversation: CustomId,
  agent_id: Slug,
})
export type ChannelRoute = z.infer<typeof ChannelRoute>

/** All routes of a channel: those that are left out are removed. At most 1,000, one for each conversation. */
export const ChannelRoutes = z.object({ routes: z.array(ChannelRoute).check(z.maxLength(1000)) })
export type ChannelRoutes = z.infer<typeof ChannelRoutes>
