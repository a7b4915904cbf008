import type { Json } from '@homeward/contract/agent-platform'

/** A call of a tool that a stand-in's model makes. */
export interface MockProviderCall {
  /** @default made up by the stand-in, as the service does */
  readonly id?: string
  readonly name: string
  readonly args: Json
}

/** A search of the web that the provider makes itself. */
export interface MockProviderSearch {
  readonly query: string
  readonly results: readonly { readonly url: string; readonly title: string }[]
  /** Why Anthropic's search failed, such as `max_uses_exceeded`. @default it did not */
  readonly error?: string
}

/** What the model behind a stand-in says in one answer. */
export interface MockProviderResponse {
  readonly reasoning?: string
  /** Searches that the provider makes before the text, if the request offers its tool. Chat Completions has none. */
  readonly searches?: readonly MockProviderSearch[]
  /** Whether Anthropic pauses after the searches, so that the caller has to call again. @default false */
  readonly pauses?: boolean
  readonly text?: string
  readonly calls?: readonly MockProviderCall[]
}

/** Tokens that a stand-in counts for a request. */
export interface MockProviderUsage {
  /** All tokens of the prompt, those of the cache among them. */
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** A request that a stand-in got. */
export interface MockProviderRequest {
  /** Path of the URL, from its first slash. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
  /** Why it was refused; absent when it was answered. */
  readonly refusal?: string
}

/** Settings that every stand-in has. */
export interface MockProviderOptions {
  /**
   * What the model says to a request.
   *
   * @param number - of the request among those that were not refused, from 0
   * @default the text "ok"
   */
  readonly answer?: (body: Json, number: number) => MockProviderResponse
  /**
   * What a request used, for APIs that report it: Anthropic, OpenAI and servers that speak like it. See `createPrefixCache`.
   *
   * @default 12 tokens in, 3 out, nothing cached
   */
  readonly usage?: (body: Json) => MockProviderUsage
}

/** What a request uses when nobody says otherwise. */
export const defaultUsage = (): MockProviderUsage => ({ input: 12, output: 3, cacheRead: 0, cacheWrite: 0 })

/** The API of a model provider, without its models: it refuses what the real service refuses. */
export interface MockProvider {
  /** Pass it as `fetch`; the base URL and the key may be any. */
  readonly fetch: typeof fetch
  /** Requests so far, oldest first. */
  readonly requests: readonly MockProviderRequest[]
}

/** A request that the service answers with an error. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number

  constructor(message: string, status = 400) {
    super(message)
    this.status = status
  }
}

/** What one provider's API is made of. */
interface WireParts {
  /** @throws {Refusal} when the service would refuse it */
  check(body: Json, path: string): void
  /** Events of a streamed answer, each as its text on the wire. */
  stream(answer: MockProviderResponse, body: Json): readonly string[]
  /** Body of an error. */
  error(message: string, status: number): Json
}

/** Builds a stand-in of what one API checks and answers. */
export function createStandIn(
  parts: WireParts,
  { answer = () => ({ text: 'ok' }) }: MockProviderOptions,
): MockProvider {
  const requests: MockProviderRequest[] = []
  let accepted = 0
  return {
    requests,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const body = (await request.json()) as Json
      const path = new URL(request.url).pathname
      const told = { path, headers: Object.fromEntries(request.headers), body }
      try {
        parts.check(body, path)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        requests.push({ ...told, refusal: error.message })
        return Response.json(parts.error(error.message, error.status), { status: error.status })
      }
      requests.push(told)
      const events = parts.stream(answer(body, accepted), body)
      accepted += 1
      return new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } })
    },
  }
}

/** One server-sent event. */
export const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
