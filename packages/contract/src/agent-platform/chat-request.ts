import * as z from 'zod/mini'
import { RunRequest } from './run.ts'

/** What a chat of the AI SDK posts, as far as it is looked at (A6). */
export interface ChatRequest extends Omit<z.input<typeof RunRequest>, 'task'> {
  /** Of the chat: names the conversation, unless `conversation_id` does. */
  readonly id?: string
  /** The last one is the task. */
  readonly messages: readonly object[]
}

/** What a run's stream is asked for: a {@link RunRequest}, or what a chat of the AI SDK (`useChat`) posts (A6). */
// the transform takes anything; the type says what may be given
export const StreamRequest = z.pipe(z.transform(fromChat), RunRequest) as unknown as z.ZodMiniType<
  RunRequest,
  z.input<typeof RunRequest> | ChatRequest
>

/**
 * A chat posts its id and all its messages. The platform keeps the conversation itself: the task is the text of the
 * last message, and the id of the chat names the conversation. The rest of the body, such as `agent_id`, stays.
 */
function fromChat(given: unknown): unknown {
  if (!isObject(given) || !Array.isArray(given['messages']) || given['task'] !== undefined) return given
  const { messages, id, ...rest } = given
  const last = (messages as readonly unknown[]).at(-1)
  return { conversation_id: id, ...rest, task: isObject(last) ? textOf(last) : undefined }
}

function textOf(message: Readonly<Record<string, unknown>>): string | undefined {
  const { role, content, parts } = message
  if (role !== 'user') return undefined
  if (typeof content === 'string') return content
  if (!Array.isArray(parts)) return undefined
  const texts = (parts as readonly unknown[]).flatMap((part) => {
    return isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? [part['text']] : []
  })
  return texts.join('\n')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
