import * as z from 'zod/mini'
import { RunRequest } from './run.ts'

/** What a chat of the AI SDK posts, as far as it is looked at (A6). */
export interface ChatRequest extends Omit<z.input<typeof RunRequest>, 'task' | 'messages'> {
  /** Of the chat: names the conversation, unless `conversation_id` does. */
  readonly id?: string
  /** The last one is the task. With `store: false` and no `conversation_id`, the others are the history. */
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
 * last message, and the id of the chat names the conversation. With `store: false` there is no conversation to read, so
 * the messages before the last are the history. The rest of the body, such as `agent_id`, stays.
 */
function fromChat(given: unknown): unknown {
  if (!isChat(given)) return given
  const { messages, id, trigger, ...rest } = given
  const last = messages.at(-1)
  const task = isObject(last) && last['role'] === 'user' ? textOf(last) : undefined
  if (bringsHistory(given)) return { ...rest, task, messages: messages.slice(0, -1).map(toRunMessage) }
  const again = trigger === 'regenerate-message' && { regenerate: true }
  return { conversation_id: id, ...again, ...rest, task }
}

/** Whether the messages of a chat are all there is of its history. */
function bringsHistory(given: { readonly store?: unknown; readonly conversation_id?: unknown }): boolean {
  return given.store === false && (given.conversation_id ?? undefined) === undefined
}

/** Tool calls and reasoning of earlier answers are left out: a request can only bring text. */
function toRunMessage(message: unknown): unknown {
  return isObject(message) ? { role: message['role'], content: textOf(message) } : message
}

/** Where a message of a chat that is read holds a file: it would be lost without a word. */
function pathOfFile(given: unknown): (string | number)[] | undefined {
  if (!isChat(given)) return undefined
  const { messages } = given
  for (let at = bringsHistory(given) ? 0 : messages.length - 1; at < messages.length; at += 1) {
    const message = messages[at]
    if (!isObject(message) || !Array.isArray(message['parts'])) continue
    const part = message['parts'].findIndex((each) => isObject(each) && each['type'] === 'file')
    if (part >= 0) return ['messages', at, 'parts', part]
  }
  return undefined
}

/** Whether it is what a chat posts; who gives a task means that. */
function isChat(given: unknown): given is {
  readonly id?: unknown
  readonly trigger?: unknown
  readonly store?: unknown
  readonly conversation_id?: unknown
  readonly messages: readonly unknown[]
} {
  return isObject(given) && Array.isArray(given['messages']) && given['task'] === undefined
}

function textOf(message: Readonly<Record<string, unknown>>): string | undefined {
  const { content, parts } = message
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
