import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A model that searches one device for a file, reads the results and cites the file. */
interface SearchingModel extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/v1` */
  readonly url: string
}

/** What the model knows of the world: which key opens it, and which device and words it is to use. */
interface SearchingModelOptions {
  readonly key: string
  readonly deviceName: string
  readonly query: string
}

interface Message {
  readonly role: string
  readonly content: unknown
}

interface Call {
  readonly tool: string
  readonly args: object
}

/** Between two looks at results that are not there yet: a real model takes longer to say so. */
const pauseMs = 250

/** Starts a provider on loopback that speaks OpenAI's Chat Completions, and decides by what tools have returned. */
export async function startSearchingModel(options: SearchingModelOptions): Promise<SearchingModel> {
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${options.key}`) {
      request.resume()
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: 'Incorrect API key.' } }))
      return
    }
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'searcher' }] }))
      return
    }
    const { messages } = (await json(request)) as { readonly messages: readonly Message[] }
    const next = decide(messages, options)
    if (typeof next === 'object' && next.tool === 'devices_search_results')
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`${toChunks(next)}data: [DONE]\n\n`)
  }

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** The next step: find the device, search it, read the results until they are there, cite the file. */
function decide(messages: readonly Message[], { deviceName, query }: SearchingModelOptions): string | Call {
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  if (!JSON.stringify(messages[asked]?.content).includes('?')) return 'Hello! Ask me where a file is.'
  const results = messages.slice(asked).filter(({ role }) => role === 'tool')
  const last = results.map(({ content }) => JSON.stringify(content)).at(-1)
  if (last === undefined) return { tool: 'devices_list', args: { text: deviceName } }
  if (results.length === 1)
    return { tool: 'devices_search', args: { query, scope: ['files'], deviceIds: [uuidIn(last)] } }
  const path = /\/[\w./-]+\/[\w.-]+\.md/.exec(last)?.[0]
  if (path !== undefined) return `It is on **${deviceName}**: \`${path}\`.`
  const [, queryId] = /searchQueries.*?\bid\W+([\w-]+)/.exec(JSON.stringify(results)) ?? []
  return { tool: 'devices_search_results', args: { queryId } }
}

function uuidIn(text: string): string {
  const found = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/.exec(text)
  if (!found) throw new Error(`The tool gave no device: ${text}`)
  return found[0]
}

let callCount = 0

function toChunks(next: string | Call): string {
  const delta =
    typeof next === 'string'
      ? { role: 'assistant', content: next }
      : {
          role: 'assistant',
          tool_calls: [
            {
              index: 0,
              id: `call_${(callCount += 1)}`,
              type: 'function',
              function: { name: next.tool, arguments: JSON.stringify(next.args) },
            },
          ],
        }
  const finish = typeof next === 'string' ? 'stop' : 'tool_calls'
  return [toChunk(delta, null), toChunk({}, finish)].join('')
}

function toChunk(delta: object, finish: string | null): string {
  const chunk = { id: 'chunk', object: 'chat.completion.chunk', created: 1, model: 'searcher' }
  return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}
