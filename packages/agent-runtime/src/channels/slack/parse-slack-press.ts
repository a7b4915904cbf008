import * as z from 'zod/mini'
import type { ParsedSlackEvent } from './parse-slack.ts'

/** How the ids of our buttons begin. */
export const pressPrefix = 'homeward_'

const Named = z.object({ id: z.string().check(z.minLength(1)) })

/** What this channel reads of an interaction. */
const Interaction = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: z.string().check(z.minLength(1)), name: z.nullish(z.string()) }),
  team: z.nullish(Named),
  enterprise: z.nullish(Named),
  channel: Named,
  message: z.object({ ts: z.string(), thread_ts: z.nullish(z.string()) }),
  actions: z.array(z.object({ action_id: z.string(), action_ts: z.string(), value: z.nullish(z.string()) })),
})

/** Makes a message of a press of a button: its command, as if the person had typed it in that thread. */
export function parseSlackPress(payload: unknown): ParsedSlackEvent {
  const parsed = Interaction.safeParse(payload)
  if (!parsed.success) return { ignored: 'not an event: a slash command, for example' }
  const { user, team, enterprise, channel, message, actions } = parsed.data
  const action = actions.find(({ action_id: id }) => id.startsWith(pressPrefix))
  if (!action?.value) return { ignored: 'a button of another program' }
  const isDirect = channel.id.startsWith('D')
  const thread = message.thread_ts || (isDirect ? undefined : message.ts)
  const place = ['channel_b', team?.id || enterprise?.id || 'unknown', channel.id]
  const id = `${message.ts}:${action.action_ts}:${user.id}`
  return {
    message: {
      dedupeKeys: [`channel_b:${channel.id}:press:${id}`],
      conversationId: (isDirect || !thread ? place : [...place, thread]).join(':'),
      text: action.value,
      sender: { id: user.id, ...(user.name && { name: user.name }) },
      ...(!isDirect && { group: { id: channel.id } }),
      isAddressed: true,
      target: { data: { channel: channel.id, ...(thread && { thread_ts: thread }) } },
      press: { id },
    },
  }
}
