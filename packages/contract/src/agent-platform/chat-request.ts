import * as z from 'zod/mini'
import { readDecisions, type ChatDecisions } from './chat-decisions.ts'
import { RunRequest } from './run.ts'
import { readDataUrl } from './data-url.ts'
import { MessageId, orAbsent } from './values.ts'

/** The used part of a `useChat` request. */
export interface ChatRequest extends Omit<z.input<typeof RunRequest>, 'task' | 'messages'> {
  /** Id of the chat. Also the id of the conversation, unless `conversation_id` is set. */
  readonly id?: string
  /**
   * Messages whose last one is the task. With `store: false` and without `conversation_id`, the others are the
   * history.
   */
  readonly messages: readonly object[]
  /** `regenerate-message` requests another answer. */
  readonly trigger?: string
  /**
   * Id of a message, by use: the answer with decided calls, if it is not the last message; the edited message; or the
   * answer to regenerate.
   */
  readonly messageId?: string
}

/** Decisions that were read: nothing that a caller sends is one of them. */
const decisionsRead = new WeakSet<object>()

/** A request for a run. A union with decisions would answer each fault of it with the faults of both. */
const RunOrDecisions = z.lazy(() => RunRequest)
const checkRun = RunOrDecisions._zod.run
RunOrDecisions._zod.run = (payload, context) => {
  const { value } = payload as { readonly value: unknown }
  return isObject(value) && decisionsRead.has(value) ? payload : checkRun(payload, context)
}

/**
 * Body of a stream request: a {@link RunRequest}, or a request of the AI SDK's `useChat`. After decisions about
 * calls, `useChat` sends {@link ChatDecisions}.
 */
// the transform takes anything; the type says what may be given
export const StreamRequest = z.pipe(
  z.transform((given, { issues }) => {
    if (!isChat(given)) return given
    const decisions = readDecisions(given)
    if (decisions) {
      decisionsRead.add(decisions)
      return decisions
    }
    for (const [at, message] of given.messages.entries()) {
      const part = isRead(given, at) ? findRemoteFile(message) : undefined
      if (part === undefined) continue
      const fault = 'must be a data: URL, because files at other addresses are not fetched'
      issues.push({
        code: 'custom',
        message: fault,
        input: given,
        path: ['messages', at, 'parts', part, 'url'],
      })
    }
    const request = fromChat(given)
    // what else is wrong is said first
    if (
      issues.length === 0 &&
      request['task'] === undefined &&
      RunRequest.shape.agent_id.safeParse(request['agent_id']).success
    )
      issues.push({ code: 'custom', message: asksNothing, input: given, path: ['messages'] })
    return request
  }),
  RunOrDecisions,
) as unknown as z.ZodMiniType<RunRequest | ChatDecisions, z.input<typeof RunRequest> | ChatRequest>

/** What `useChat` posts. Fields of a {@link RunRequest} may stand beside these. */
const ChatPost = z.looseObject({
  /** Id of the chat, which is the id of its conversation. */
  id: orAbsent(z.string()),
  /** Messages of the AI SDK. Only the last one counts, because the server stores the conversation. */
  messages: z.array(z.looseObject({ id: orAbsent(z.string()), role: z.string() })).check(z.minLength(1)),
  /** `submit-message` or `regenerate-message`. */
  trigger: orAbsent(z.string()),
  /** Id of the message that is edited, or of the answer that is given again or continued. */
  messageId: orAbsent(z.string()),
})

/**
 * Body that `useChat` posts to the address of an agent, plus any field of a {@link RunRequest}. The agent comes from
 * the path; an agent in the body is ignored.
 */
export const ChatBody = z.pipe(
  ChatPost,
  z.pipe(
    z.transform((given: object) => ({ ...given, agent_id: 'of-the-path' })),
    StreamRequest,
  ) as unknown as z.ZodMiniType<unknown, z.infer<typeof ChatPost>>,
) as unknown as z.ZodMiniType<RunRequest | ChatDecisions, Omit<ChatRequest, 'agent_id'>>

const asksNothing =
  'must end with a message of the user that has text or files, or with an answer whose waiting calls are all decided or have an output'

/**
 * A chat posts its id and all its messages. The platform keeps the conversation itself: the task is the text of the
 * last message, under the id of that, and the id of the chat names the conversation. With `store: false` there is no conversation to read, so
 * the messages before the last are the history. The rest of the body, such as `agent_id`, stays.
 */
function fromChat(given: Chat): Readonly<Record<string, unknown>> {
  const { messages, id, trigger, messageId, ...rest } = given
  const last = messages.at(-1)
  const asked = isObject(last) && last['role'] === 'user' ? last : undefined
  const files = asked && filesOf(asked)
  const { files: formFiles } = given
  // A person may send a picture without a word.
  const task = asked && (textOf(asked) || files?.map(({ name }) => name ?? 'file').join(', '))
  const all = [...(files ?? []), ...(Array.isArray(formFiles) ? (formFiles as unknown[]) : [])]
  const question = { task, ...(all.length > 0 && { files: all }) }
  if (bringsHistory(given)) return { ...rest, ...question, messages: messages.slice(0, -1).map(toRunMessage) }
  const replaced = MessageId.safeParse(messageId)
  const replaces = replaced.success && { replaces: replaced.data }
  if (trigger === 'regenerate-message')
    return { conversation_id: id, regenerate: true, ...replaces, ...rest, ...question }
  const own = MessageId.safeParse(asked?.['id'])
  const ids = { ...(own.success && { message_id: own.data }), ...replaces }
  return { conversation_id: id, ...ids, ...rest, ...question }
}

/** Whether files of a message are read: of the last one, and of a person's where they are the history. */
function isRead(given: Chat, at: number): boolean {
  if (at === given.messages.length - 1) return true
  const message = given.messages[at]
  return bringsHistory(given) && isObject(message) && message['role'] === 'user'
}

/** Whether the messages of a chat are all there is of its history. */
function bringsHistory(given: { readonly store?: unknown; readonly conversation_id?: unknown }): boolean {
  return given.store === false && (given.conversation_id ?? undefined) === undefined
}

/** Tool calls, reasoning and files of earlier answers are left out: a request can only bring their text. */
function toRunMessage(message: unknown): unknown {
  if (!isObject(message)) return message
  const files = message['role'] === 'user' ? filesOf(message) : undefined
  return { role: message['role'], content: textOf(message), ...(files && { files }) }
}

/** Whether it is what a chat posts; who gives a task means that. */
function isChat(given: unknown): given is Chat {
  return isObject(given) && Array.isArray(given['messages']) && given['task'] === undefined
}

interface Chat {
  readonly files?: unknown
  readonly id?: unknown
  readonly trigger?: unknown
  readonly messageId?: unknown
  readonly store?: unknown
  readonly conversation_id?: unknown
  readonly messages: readonly unknown[]
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

/** A file of a chat's message, as a request for a run takes it. */
interface ChatFile {
  readonly name?: string
  readonly media_type: unknown
  readonly data: string | Uint8Array
}

/** Files of a message of the AI SDK; undefined without any. Files at other addresses are left out. */
function filesOf(message: Readonly<Record<string, unknown>>): ChatFile[] | undefined {
  const files = partsOf(message).flatMap((part) => (isFile(part) ? [toChatFile(part)].filter(isPresent) : []))
  return files.length > 0 ? files : undefined
}

/** Place of the first file that is not in the message itself, among its parts. */
function findRemoteFile(message: unknown): number | undefined {
  const place = partsOf(message).findIndex((part) => isFile(part) && toChatFile(part) === undefined)
  return place < 0 ? undefined : place
}

function toChatFile({ url, mediaType, filename }: FilePart): ChatFile | undefined {
  const read = typeof url === 'string' ? readDataUrl(url) : undefined
  if (!read) return undefined
  const name = typeof filename === 'string' && { name: filename }
  return { ...name, media_type: mediaType ?? read.mediaType, data: read.data }
}

interface FilePart {
  readonly url?: unknown
  readonly mediaType?: unknown
  readonly filename?: unknown
}

function partsOf(message: unknown): readonly unknown[] {
  const parts: unknown =
    typeof message === 'object' && message !== null ? Reflect.get(message, 'parts') : undefined
  return Array.isArray(parts) ? parts : []
}

const isFile = (part: unknown): part is FilePart =>
  typeof part === 'object' && part !== null && Reflect.get(part, 'type') === 'file'

const isPresent = (file: ChatFile | undefined): file is ChatFile => file !== undefined
