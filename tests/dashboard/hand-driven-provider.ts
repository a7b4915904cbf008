import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll } from 'vitest'

/** A call of a model that waits for what the test lets the model say. */
export interface ModelCall {
  /** All messages that the model got, as JSON. */
  readonly prompt: string
  /** Says a piece of the answer; it is sent at once. */
  say(text: string): void
  /** Calls a tool, and ends the answer with it. */
  callTool(name: string, args?: object): void
  /** Ends the answer. */
  end(): void
}

/** A model provider on loopback that speaks OpenAI's Chat Completions, and says what a test says, when it says so. */
interface HandDrivenProvider extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/v1` */
  readonly url: string
  /**
   * Resolves with the next call that nobody has taken yet and whose prompt has the text: calls of other runs go on waiting.
   *
   * @throws {Error} when none comes in time.
   */
  nextCall(text?: string): Promise<ModelCall>
}

/**
 * Starts one for the tests of a file, and has the models `openai/…` of its servers ask it. The environment is set for all of
 * them: a run of one test may go on while the next one begins.
 */
export function useHandDrivenProvider(): Pick<HandDrivenProvider, 'nextCall'> {
  let provider: HandDrivenProvider | undefined
  const before: Readonly<Record<string, string | undefined>> = {
    OPENAI_API_KEY: process.env['OPENAI_API_KEY'],
    OPENAI_BASE_URL: process.env['OPENAI_BASE_URL'],
  }
  beforeAll(async () => {
    provider = await startHandDrivenProvider()
    Object.assign(process.env, { OPENAI_API_KEY: 'sk-stand-in-key', OPENAI_BASE_URL: provider.url })
  })
  afterAll(async () => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    await provider?.[Symbol.asyncDispose]()
  })
  return {
    nextCall(text) {
      if (!provider) throw new Error('The provider is there once the tests run.')
      return provider.nextCall(text)
    },
  }
}

const callWithinMs = 60_000

/** Starts one. */
async function startHandDrivenProvider(): Promise<HandDrivenProvider> {
  const waiting: ModelCall[] = []
  const takers: { readonly text: string; readonly take: (call: ModelCall) => void }[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await json(request)) as { readonly messages: unknown }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    const call = toCall(JSON.stringify(body.messages), response)
    const index = takers.findIndex(({ text }) => call.prompt.includes(text))
    if (index < 0) waiting.push(call)
    else takers.splice(index, 1)[0]?.take(call)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    nextCall(text = '') {
      const index = waiting.findIndex(({ prompt }) => prompt.includes(text))
      const [call] = index < 0 ? [] : waiting.splice(index, 1)
      if (call) return Promise.resolve(call)
      return new Promise((resolve, reject) => {
        const take = (taken: ModelCall) => {
          clearTimeout(timer)
          resolve(taken)
        }
        const taker = { text, take }
        const timer = setTimeout(() => {
          takers.splice(takers.indexOf(taker), 1)
          reject(new Error(`The model was not called with "${text}" within ${callWithinMs} ms.`))
        }, callWithinMs)
        takers.push(taker)
      })
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

let callCount = 0

function toCall(prompt: string, response: ServerResponse): ModelCall {
  const write = (delta: object, finish: string | null = null) => response.write(toChunk(delta, finish))
  const finish = (reason: string) => {
    write({}, reason)
    response.end('data: [DONE]\n\n')
  }
  return {
    prompt,
    say: (text) => void write({ role: 'assistant', content: text }),
    callTool(name, args = {}) {
      const id = `call_${(callCount += 1)}`
      const called = { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
      write({ role: 'assistant', tool_calls: [called] })
      finish('tool_calls')
    },
    end: () => finish('stop'),
  }
}

function toChunk(delta: object, finish: string | null): string {
  const chunk = { id: 'chunk', object: 'chat.completion.chunk', created: 1, model: 'stand-in' }
  const usage =
    finish === null ? {} : { usage: { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 } }
  return `data: ${JSON.stringify({ ...chunk, ...usage, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}
