import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer, json } from 'node:stream/consumers'
import { McpServer as LegacyServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'

/** An MCP server that asks people. */
interface AskingServer extends AsyncDisposable {
  readonly url: string
  /** What was paid, and to whom a calendar was connected: what calls have done. */
  readonly done: string[]
  /** What the server got for its questions. */
  readonly answers: string[]
  /** Changes the question of `pay`. */
  ask(question: string): void
  /** Says of a question that was asked at an address that it is done. */
  complete(): Promise<void>
}

export type AskingEra = 'legacy' | 'modern'

const form = {
  type: 'object' as const,
  properties: {
    amount: { type: 'integer' as const, minimum: 1 },
    currency: { type: 'string' as const, enum: ['EUR', 'USD'], default: 'EUR' },
  },
  required: ['amount'],
}
const page = 'https://calendar.example/connect?id=1'
const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })

/** What the tools do and note, whichever protocol calls them. */
function createWork() {
  const done: string[] = []
  const answers: string[] = []
  const note = (action: string, content: unknown) =>
    void answers.push(`${action} ${JSON.stringify(content ?? null)}`)
  return {
    done,
    answers,
    question: 'How much?',
    pay(action: string, content: unknown) {
      note(action, content)
      if (action !== 'accept') return text(`not paid: ${action}`)
      done.push(`paid ${JSON.stringify(content)}`)
      return text(`paid ${JSON.stringify(content)}`)
    },
    connect(action: string) {
      note(action, undefined)
      if (action !== 'accept') return text(`not connected: ${action}`)
      done.push('connected')
      return text('connected')
    },
  }
}
type Work = ReturnType<typeof createWork>

const asksAtPage = { message: 'Connect your calendar.', url: page }
const half = (progressToken: string | number) => ({
  method: 'notifications/progress' as const,
  params: { progressToken, progress: 1, total: 2, message: 'half of it' },
})
const greet = (city: string) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: `Hello ${city}` } }],
})
const manual = () => ({ contents: [{ uri: 'file:///manual.txt', text: 'Pay in advance.' }] })

function createLegacyServer(work: Work): LegacyServer {
  const server = new LegacyServer({ name: 'asking', version: '1.0.0' })
  server.registerTool('pay', { description: 'Pays.' }, async () => {
    const asked = { message: work.question, requestedSchema: form }
    const { action, content } = await server.server.elicitInput(asked)
    return work.pay(action, content)
  })
  server.registerTool('connect', { description: 'Connects.' }, async () => {
    const { action } = await server.server.elicitInput({
      mode: 'url',
      ...asksAtPage,
      elicitationId: 'e-1',
    })
    return work.connect(action)
  })
  server.registerTool('report', { description: 'Reports.' }, async ({ _meta, sendNotification }) => {
    if (_meta?.progressToken !== undefined) await sendNotification(half(_meta.progressToken))
    return text('reported')
  })
  server.registerResource('manual', 'file:///manual.txt', { description: 'How to pay.' }, manual)
  const argsSchema = { city: z.string() }
  server.registerPrompt('greet', { description: 'Greets.', argsSchema }, ({ city }) => greet(city))
  return server
}

function createModernServer(work: Work): McpServer {
  const server = new McpServer({ name: 'asking', version: '1.0.0' })
  server.registerTool('pay', { description: 'Pays.' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'amount')
    if (answer.kind === 'elicit') return work.pay(answer.action, answer.content)
    const asked = inputRequired.elicit({ message: work.question, requestedSchema: form })
    return inputRequired({ inputRequests: { amount: asked } })
  })
  server.registerTool('connect', { description: 'Connects.' }, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'page')
    if (answer.kind === 'elicit') return work.connect(answer.action)
    return inputRequired({ inputRequests: { page: inputRequired.elicitUrl(asksAtPage) } })
  })
  server.registerTool('report', { description: 'Reports.' }, async ({ mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {}
    if (progressToken !== undefined) await mcpReq.notify(half(progressToken))
    return text('reported')
  })
  server.registerResource('manual', 'file:///manual.txt', { description: 'How to pay.' }, manual)
  const argsSchema = z.object({ city: z.string() })
  server.registerPrompt('greet', { description: 'Greets.', argsSchema }, ({ city }) => greet(city))
  return server
}

type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>

function serveLegacy(work: Work, servers: LegacyServer[]): Serve {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  async function open(): Promise<StreamableHTTPServerTransport> {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    const server = createLegacyServer(work)
    await server.connect(transport)
    servers.push(server)
    return transport
  }
  return async (request, response) => {
    const id = String(request.headers['mcp-session-id'] ?? '')
    const body: unknown = request.method === 'POST' ? await json(request) : undefined
    if (isDiscovery(body)) {
      response.writeHead(400).end()
      return
    }
    const transport = sessions.get(id) ?? (id === '' ? await open() : undefined)
    if (transport) await transport.handleRequest(request, response, body)
    else response.writeHead(404).end()
  }
}

const isDiscovery = (body: unknown) =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === 'server/discover'

function serveModern(work: Work): Serve {
  const handler = createMcpHandler(() => createModernServer(work), { legacy: 'reject' })
  return async (request, response) => {
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value))
    const body = request.method === 'POST' ? { body: await buffer(request) } : {}
    const init = { method: request.method ?? 'GET', headers, ...body }
    const given = await handler.fetch(new Request(`http://${request.headers.host}${request.url}`, init))
    response.writeHead(given.status, Object.fromEntries(given.headers))
    if (given.body) Readable.fromWeb(given.body as never).pipe(response)
    else response.end()
  }
}

/**
 * Starts a server of one era with the tools `pay` (asks with a form), `connect` (asks at an address) and `report` (reports its
 * progress), a resource and a prompt.
 */
export async function startAskingServer(era: AskingEra): Promise<AskingServer> {
  const work = createWork()
  const servers: LegacyServer[] = []
  const serve = era === 'legacy' ? serveLegacy(work, servers) : serveModern(work)
  const http = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    done: work.done,
    answers: work.answers,
    ask(question) {
      work.question = question
    },
    async complete() {
      await servers.at(-1)?.server.createElicitationCompletionNotifier('e-1')()
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
