import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A model provider on loopback that speaks OpenAI's Chat Completions and knows what the pictures need. */
interface OfficeModel extends AsyncDisposable {
  /** Variables that lead the reference server to it. */
  readonly environment: Readonly<Record<string, string>>
}

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
}

interface Reply {
  readonly text?: string
  readonly tool?: string
  readonly args?: object
}

/** Starts it. */
export async function startOfficeModel(): Promise<OfficeModel> {
  const server = createServer((request, response) => {
    reply(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    environment: { OPENAI_API_KEY: 'sk-example', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages } = (await json(request)) as ChatRequest
  const last = messages.at(-1)
  const { text, tool, args } = replyTo(last?.role === 'tool', JSON.stringify(last?.content ?? ''))
  if (text === '') {
    response.writeHead(500, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: 'The model is overloaded.' } }))
    return
  }
  const called = { name: tool, arguments: JSON.stringify(args ?? {}) }
  const delta = tool
    ? { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: called }] }
    : { content: text }
  const usage = { prompt_tokens: 1840 + messages.length * 260, completion_tokens: 96, total_tokens: 2000 }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(
    toChunk({ choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] }),
  )
  response.write(toChunk({ choices: [{ index: 0, delta: {}, finish_reason: tool ? 'tool_calls' : 'stop' }] }))
  response.end(`${toChunk({ choices: [], usage })}data: [DONE]\n\n`)
}

const toChunk = (fields: object) =>
  `data: ${JSON.stringify({ id: 'chunk', object: 'chat.completion.chunk', created: 1, model: 'model', ...fields })}\n\n`

function replyTo(isResult: boolean, text: string): Reply {
  if (isResult)
    return {
      text: 'Three of your four devices are online:\n\n| Device | Kind | Labels |\n| --- | --- | --- |\n| NAS workshop | server | workshop |\n| Kitchen Pi | iot | home/kitchen |\n| Ann’s laptop | laptop | home |\n\n**Office desktop** has not been seen yet.',
    }
  if (/online/.test(text)) return { tool: 'devices_list' }
  if (/note/.test(text))
    return {
      tool: 'write_file',
      args: { path: 'devices.md', content: 'Online: NAS workshop, Kitchen Pi, Ann’s laptop\n' },
    }
  if (/broken/.test(text)) return { text: '' }
  if (/meetings of/.test(text)) return { text: '9:00 budget review, 14:00 design review.' }
  return { text: 'Two meetings today: the budget review at 9:00 and the design review at 14:00.' }
}
