import * as z from 'zod/mini'
import { PlatformId, Slug, PageCursor } from './values.ts'

/** A message as `useChat` of the AI SDK takes it. */
export const UiMessage = z.object({
  /** Of the user's message: the id that the page gave it. Of an answer: the id of its run. */
  id: PlatformId,
  role: z.enum(['user', 'assistant']),
  metadata: z.optional(z.looseObject({})),
  /** Texts, reasoning, files, sources, tool calls with their states, and `data-*` parts. */
  parts: z.array(z.looseObject({ type: z.string() })),
})
export type UiMessage = z.infer<typeof UiMessage>

/** A conversation as a page with `useChat` opens it. */
export const UiConversation = z.object({
  id: PlatformId,
  agent_id: Slug,
  title: z.optional(z.string()),
  /** The newest run that works or waits in the conversation. */
  active_run_id: z.optional(PlatformId),
  /** Oldest first. If an answer was given again, only the newest one. An unfinished answer is the last message. */
  messages: z.array(UiMessage),
  /** Cursor for older messages. Absent on the last page. */
  next_cursor: z.optional(PageCursor),
})
export type UiConversation = z.infer<typeof UiConversation>
