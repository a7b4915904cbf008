import * as z from 'zod/mini'
import { RunRequest } from './run.ts'

/** What a chat of the AI SDK posts, as far as it is looked at (A6). */
export interface ChatRequest extends Omit<z.input<typeof RunRequest>, 'task'> {
  /** Of the chat: names the conversation, unless `conversation_id` does. */
  readonly id?: string
  /** The last one is the task. */
  readonly messages: readonly object[]
  /** `regenerate-message` asks for another answer to it. */
  readonly trigger?: string
}

/** What a run's stream is asked for: a {@link RunRequest}, or what a chat of the AI SDK (`useChat`) posts (A6). */
// the transform takes anything; the type says what may be given
export const StreamRequest = z.pipe(
  z.transform((given, { issues }) => {
    const path = pathOfFile(given)
    if (path) issues.push({ code: 'custom', message: 'is a file; only text is taken', input: given, path })
    return fromChat(given)
  }),
  RunRequest,
) as unknown as z.ZodMiniType<RunRequest, z.input<typeof RunRequest> | ChatRequest>

/**
 * A chat posts its id and all its messages. The platform keeps the conversation itself: the task is the text of the
 * last message, and the id of the chat names the conversation. The rest of the body, such as `agent_id`, stays.
 */
function fromChat(given: unknown): unknown {
  if (!isChat(given)) return given
  const { messages, id, trigger, ...rest } = given
  const last = messages.at(-1)
  const again = trigger === 'regenerate-message' && { regenerate: true }
  return { conversation_id: id, ...again, ...rest, task: isObject(last) ? textOf(last) : undefined }
}

/** Where the last message of a chat holds a file: it would be lost without a word. */
function pathOfFile(given: unknown): (string | number)[] | undefined {
  if (!isChat(given)) return undefined
  const last = given.messages.at(-1)
  if (!isObject(last) || !Array.isArray(last['parts'])) return undefined
  const at = last['parts'].findIndex((part) => isObject(part) && part['type'] === 'file')
  return at < 0 ? undefined : ['messages', given.messages.length - 1, 'parts', at]
}

/** Whether it is what a chat posts; who gives a task means that. */
function isChat(
  given: unknown,
): given is { readonly id?: unknown; readonly trigger?: unknown; readonly messages: readonly unknown[] } {
  return isObject(given) && Array.isArray(given['messages']) && given['task'] === undefined
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
