import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** What a model says: text, a tool call, or text behind which nothing comes any more. */
type MockProviderResponse =
  | { readonly text: string; readonly hang?: boolean }
  | { readonly tool: string; readonly args?: object }

/** A request for a model's answer, as far as tests look into it. */
interface MockProviderCall {
  readonly model: string
  readonly authorization: string | undefined
  readonly toolNames: readonly string[]
  /** Texts of the messages, the tools' results included. */
  readonly prompt: string
}

/** A model provider on loopback that speaks OpenAI's Chat Completions. */
interface StandInProvider extends AsyncDisposable {
  /** Variables that lead the reference server to it. */
  readonly environment: Readonly<Record<string, string>>
  readonly calls: readonly MockProviderCall[]
  /** Resolves once a call was answered with `hang`. */
  readonly hanging: Promise<void>
}

/** Starts one that answers the calls in turn; the last answer is given again and again. */
export async function startStandInProvider(
  answers: readonly MockProviderResponse[],
): Promise<StandInProvider> {
  const calls: MockProviderCall[] = []
  const { promise: hanging, resolve: hangs } = Promise.withResolvers<void>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization } = request.headers
    const body = (await json(request)) as ChatRequest
    const toolNames = (body.tools ?? []).map(({ function: { name } }) => name)
    const next = answers[Math.min(calls.length, answers.length - 1)]!
    calls.push({ model: body.model, authorization, toolNames, prompt: JSON.stringify(body.messages) })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(toChunk(toDelta(next), null))
    if ('hang' in next && next.hang) return hangs()
    response.end(`${toChunk({}, 'tool' in next ? 'tool_calls' : 'stop')}data: [DONE]\n\n`)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    environment: { OPENAI_API_KEY: 'sk-stand-in-key', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` },
    calls,
    hanging,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface ChatRequest {
  readonly model: string
  readonly messages: unknown
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
}

function toDelta(answer: MockProviderResponse): object {
  if ('text' in answer) return { role: 'assistant', content: answer.text }
  const called = { name: answer.tool, arguments: JSON.stringify(answer.args ?? {}) }
  return { role: 'assistant', tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: called }] }
}

function toChunk(delta: object, finish: string | null): string {
  const chunk = { id: 'chunk', object: 'chat.completion.chunk', created: 1, model: 'stand-in' }
  return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}
