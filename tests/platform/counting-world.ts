import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** A tool call that arrived. */
export interface CountedCall {
  /** `book`, which must not happen twice, or `look`. */
  readonly tool: string
  readonly task: string
  readonly step: string
  readonly idempotencyKey: string
}

/** A model and the service that its tools call, both on loopback, which count what they are asked for. */
export interface CountingWorld extends AsyncDisposable {
  /** Variables that lead the reference server to the model. */
  readonly environment: Readonly<Record<string, string>>
  readonly calls: readonly CountedCall[]
  /** Puts the skill with the tools into a data home. */
  install(home: string): Promise<void>
}

/** Steps of every task: what the model wants behind so many results of tools. */
const steps = ['book', 'look', 'look'] as const

/**
 * Starts one. Its model books what the task names, looks twice, and is done; everything takes a moment, so that there is
 * something to break into.
 */
export async function startCountingWorld(): Promise<CountingWorld> {
  const calls: CountedCall[] = []

  async function answerAsModel(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { messages } = (await json(request)) as ChatRequest
    const task =
      /task-\d+/.exec(JSON.stringify(messages.findLast(({ role }) => role === 'user')))?.[0] ?? 'none'
    const done = messages.filter(({ role }) => role === 'tool').length
    await pause(30)
    const tool = steps[done]
    const args = JSON.stringify({ task, step: `${task}-${done}` })
    const called = {
      index: 0,
      id: `call_${done}`,
      type: 'function',
      function: { name: tool, arguments: args },
    }
    const delta = tool === undefined ? { content: `${task} is done` } : { tool_calls: [called] }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(toChunk({ role: 'assistant', ...delta }, null))
    response.end(`${toChunk({}, tool === undefined ? 'stop' : 'tool_calls')}data: [DONE]\n\n`)
  }

  async function answerAsService(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const key = request.headers['idempotency-key']
    const find = (name: string) => url.searchParams.get(name) ?? ''
    const tool = url.pathname.slice(1)
    calls.push({ tool, task: find('task'), step: find('step'), idempotencyKey: String(key) })
    await pause(20)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
  }

  const server = createServer((request, response) => {
    const answer = request.url?.startsWith('/v1/') === true ? answerAsModel : answerAsService
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    environment: { OPENAI_API_KEY: 'sk-counting', OPENAI_BASE_URL: `${base}/v1` },
    calls,
    async install(home) {
      const folder = join(home, 'skills', 'counter')
      await mkdir(folder, { recursive: true })
      await writeFile(
        join(folder, 'SKILL.md'),
        `---\nname: counter\ndescription: Books and looks.\napi_base: ${base}\n---\nBook first.\n`,
      )
      await writeFile(join(folder, 'tools.yaml'), toolsFile)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
}

const parameters = `
    parameters:
      type: object
      properties:
        task: { type: string, in: query }
        step: { type: string, in: query }
      required: [task, step]`

const toolsFile = `tools:
  - id: book
    description: Books something.
    method: POST
    path: /book
    effects: external
    repeat: once${parameters}
  - id: look
    description: Looks at something.
    method: GET
    path: /look
    effects: read
    repeat: safe${parameters}
`

function toChunk(delta: object, finish: string | null): string {
  const chunk = { id: 'chunk', object: 'chat.completion.chunk', created: 1, model: 'counting' }
  return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}
