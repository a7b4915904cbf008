import { toFetch, toNode, type Handler, type RequestView } from '@homeward/contract/handler'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { aFunction, must, required, text } from '@homeward/kit'
import { checkOptions } from '../../host-input/check-options.ts'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import { aRuntime, type PlatformGrant } from '../access/platform-auth.ts'
import { createAgentPlatformHandler } from '../create-agent-platform-handler.ts'

/** A request for a chat, as your functions receive it. */
export interface ChatHandlerRequest extends RequestView {
  /** Headers of the request, as in `Request`. */
  readonly headers: Pick<Headers, 'get'>
}

type MaybePromise<Value> = Value | Promise<Value>

/** An agent in code, as `defineAgent` returns it. */
type AgentDefinition = Parameters<AgentRuntime['agents']['put']>[0]

/** Options of {@link createChatHandler}. */
export interface ChatHandlerOptions {
  /** Runtime that runs the agent. The handler does not close it. */
  readonly runtime: AgentRuntime
  /** Agent that answers: its id, or its definition in code, which the first request stores. */
  readonly agent: string | AgentDefinition
  /** Returns the user of a request, for example from your session. For `undefined` the response is 401. */
  readonly user: string | ((request: ChatHandlerRequest) => MaybePromise<string | undefined>)
  /** Metadata of each run. Overrides fields with the same names from the page. @default no metadata */
  readonly metadata?: JsonObject | ((request: ChatHandlerRequest) => MaybePromise<JsonObject>)
  /** Run fields that the page may set itself. @default no fields */
  readonly allow?: PlatformGrant['allow']
  /** Path below which the platform's handler is mounted, for links to files. @default no path */
  readonly basePath?: string
  /** Receives failures that the caller did not cause. @default the runtime's logger */
  readonly onError?: (error: unknown) => void
}

/**
 * Creates a handler that serves the chat of one agent to the AI SDK's `useChat`, on any path of your server.
 *
 * `POST` answers a message. Below the same path, `GET {conversation_id}/stream` resumes an answer, `DELETE
 * {conversation_id}/stream` stops it, and `GET {conversation_id}` returns the messages of a conversation. Your server
 * identifies the user, and the page can access only this agent and the user's conversations.
 *
 * @throws {RuntimeError} `validation_error` if an option is invalid.
 * @example
 * ```ts
 * import { createRuntime } from '@homeward/agent-runtime'
 * import { createChatHandler } from '@homeward/agent-runtime/server'
 *
 * const runtime = createRuntime()
 * await runtime.agents.create({ id: 'support', model: 'test/echo' })
 * const chat = createChatHandler({
 *   runtime,
 *   agent: 'support',
 *   user: (request) => request.headers.get('x-user') ?? undefined,
 * })
 * // new DefaultChatTransport({ api: '/chat' })
 * const response = await chat.fetch(new Request('https://app.example/chat/c1/stream', { headers: { 'x-user': 'ann' } }))
 * console.log(response.status) // 204
 * ```
 */
export function createChatHandler(options: ChatHandlerOptions): Handler {
  checkOptions<ChatHandlerOptions>('Creating the chat handler', options, {
    runtime: aRuntime,
    agent: required(must('be the id of an agent or a definition', isAgent)),
    user: required(must('be a user id or a function', (value) => isText(value) || isFunction(value))),
    metadata: must('be an object or a function', (value) => isObject(value) || isFunction(value)),
    allow: must('be a list', Array.isArray),
    basePath: text, // the platform's handler looks at it
    onError: aFunction,
  })
  const { runtime, agent, user, metadata, allow, basePath, onError } = options
  const agentId = typeof agent === 'string' ? agent : agent.id
  let putting: Promise<unknown> | undefined

  async function grant(request: RequestView): Promise<PlatformGrant | false> {
    const seen = toHandlerRequest(request)
    const userId = typeof user === 'function' ? await user(seen) : user
    if (userId === undefined) return false
    const fixed = typeof metadata === 'function' ? await metadata(seen) : metadata
    return {
      scopes: ['read', 'run', 'approve'],
      agents: [agentId],
      userId,
      ...(fixed && { metadata: fixed }),
      ...(allow && { allow }),
    }
  }

  const platform = createAgentPlatformHandler({
    runtime,
    auth: grant,
    guard() {}, // your server decides under which names it answers
    ...(basePath !== undefined && { basePath }),
    ...(onError && { onError }),
  })

  async function respond(request: RequestView) {
    if (typeof agent !== 'string') {
      putting ??= runtime.agents.put(agent)
      await putting.catch((error: unknown) => {
        putting = undefined
        throw error
      })
    }
    return platform.respond(new ChatView(request, agentId))
  }
  return { respond, fetch: toFetch(respond), node: toNode(respond) }
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isFunction = (value: unknown) => typeof value === 'function'
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isAgent = (value: unknown) =>
  isText(value) || (isObject(value) && isText((value as AgentDefinition).id))

function toHandlerRequest(request: RequestView): ChatHandlerRequest {
  const headers = { get: (name: string) => request.header(name.toLowerCase()) ?? null }
  return Object.assign(Object.create(request) as RequestView, { headers })
}

/** The same request at the platform's own address of the chat. */
class ChatView implements RequestView {
  readonly path: string
  readonly search: string
  readonly #outer: RequestView

  constructor(outer: RequestView, agentId: string) {
    const { method, path, search } = outer
    const [, id = '', stream] = /\/([^/]+)(\/stream)?\/?$/.exec(path) ?? []
    const chat = `/api/chat/${encodeURIComponent(agentId)}`
    const isLoad = method === 'GET' && stream === undefined
    this.search = isLoad ? `${search}&format=ui`.replace(/^&/, '') : search
    this.path = isLoad ? `/api/conversations/${id}` : method === 'POST' ? chat : `${chat}/${id}/stream`
    this.#outer = outer
  }

  get method(): string {
    return this.#outer.method
  }
  get origin(): string {
    return this.#outer.origin
  }
  get remoteAddress(): string | undefined {
    return this.#outer.remoteAddress
  }
  get signal(): AbortSignal {
    return this.#outer.signal
  }
  get isRead(): boolean {
    return this.#outer.isRead ?? false
  }
  header(name: string): string | undefined {
    return this.#outer.header(name)
  }
  body(): AsyncIterable<Uint8Array> {
    return this.#outer.body()
  }
}
