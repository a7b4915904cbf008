import * as z from 'zod/mini'
import { PlatformId, Slug, PageCursor } from './values.ts'

/** A message in the format of the AI SDK's `useChat`. */
export const UiMessage = z.object({
  /** For a user message, the id that the page chose. For an answer, the id of its run. */
  id: PlatformId,
  role: z.enum(['user', 'assistant']),
  metadata: z.optional(z.looseObject({})),
  /** Texts, reasoning, files, sources, tool calls with their states, and `data-*` parts. */
  parts: z.array(z.looseObject({ type: z.string() })),
})
export type UiMessage = z.infer<typeof UiMessage>

/** A conversation in the format of the AI SDK's `useChat`. */
export const UiConversation = z.object({
  id: PlatformId,
  agent_id: Slug,
  title: z.optional(z.string()),
  /** The newest active or waiting run of the conversation. */
  active_run_id: z.optional(PlatformId),
  /** Messages, oldest first. Of regenerated answers, only the newest. An unfinished answer is last. */
  messages: z.array(UiMessage),
  /** Cursor for older messages. Absent on the last page. */
  next_cursor: z.optional(PageCursor),
})
export type UiConversation = z.infer<typeof UiConversation>
