import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Tool } from '../../ports/tool.ts'
import type { McpServers } from './create-mcp-servers.ts'
import { openServers } from './testing/open-servers.ts'

let http: Server
let port = 0
/** Those that the server knows. */
let sessions: Map<string, StreamableHTTPServerTransport>
/** What the server does instead of answering. */
let refuse: ((response: ServerResponse) => void) | undefined
let refused: number
/** Sessions whose client listens. */
let listening: Set<string>
let begun: number
let ran: string[]
let finishSlow: () => void
let now: number
let servers: McpServers
const warn = vi.fn<(message: string, details?: object) => void>()

beforeEach(async () => {
  refuse = undefined
  ran = []
  begun = refused = port = now = 0
  listening = new Set()
  warn.mockReset()
  await start()
  // a connection that was kept would break with the server, and say nothing about the session
  const headers = { connection: 'close' }
  servers = openServers(
    { web: { url: `http://127.0.0.1:${port}/mcp`, headers, timeoutMs: 20_000 } },
    { now: () => now, logger: { warn, error: warn } },
  )
})
afterEach(async () => {
  await servers.close()
  await stop()
})

/** A server that has just been started knows no session. */
async function start(): Promise<void> {
  sessions = new Map()
  http = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => void http.listen(port, '127.0.0.1', resolve))
  port = (http.address() as AddressInfo).port
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const message = request.method === 'POST' ? ((await json(request)) as { method: string }) : undefined
  const id = request.headers['mcp-session-id']
  const known = typeof id === 'string' ? sessions.get(id) : undefined
  if (refuse !== undefined && message?.method.startsWith('tools/') === true) {
    refused += 1
    refuse(response)
  } else if (id === undefined) await (await beginSession()).handleRequest(request, response, message)
  else if (known === undefined) answerUnknown(response)
  else {
    if (request.method === 'GET') listenTo(String(id), response)
    await known.handleRequest(request, response, message)
  }
}

async function stop(): Promise<void> {
  const closed = new Promise((resolve) => void http.close(resolve))
  http.closeAllConnections()
  await closed
}

function listenTo(id: string, response: ServerResponse): void {
  listening.add(id)
  response.once('close', () => listening.delete(id))
}

const answerWith = (status: number, message: string) => (response: ServerResponse) =>
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }))

let answerUnknown = answerWith(404, 'Session not found')

async function beginSession(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => {
      begun += 1
      sessions.set(id, transport)
    },
  })
  const server = new McpServer({ name: 'web', version: '1.0.0' })
  const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })
  server.registerTool('greet', { description: 'Greets.' }, () => {
    ran.push('greet')
    return text('hello')
  })
  server.registerTool('slow', { description: 'Takes its time.' }, async () => {
    ran.push('slow')
    await new Promise<void>((resolve) => (finishSlow = resolve))
    return text('done')
  })
  await server.connect(transport)
  return transport
}

async function tools(): Promise<Map<string, Tool>> {
  const found = await servers.toolsFor(['web'], new AbortController().signal)
  return new Map(found.tools.map((tool) => [tool.id, tool]))
}

function call(offered: Map<string, Tool>, id: string) {
  const tool = offered.get(id)
  if (tool === undefined) throw new Error('no such tool')
  return tool.execute(
    {},
    {
      agentId: 'agent',
      runId: 'run',
      conversationId: 'c',
      idempotencyKey: 'k',
      workspace: '/nowhere',
      tainted: false,
      depth: 0,
      metadata: {},
      context: undefined,
      progress() {},
      writeData() {},
      ask: async () => Promise.reject(new Error('Nobody answers in this test')),
      signal: new AbortController().signal,
    },
  )
}

it('begins a new session when the server was started anew, within a run and before one', async () => {
  const offered = await tools()
  expect(await call(offered, 'web.greet')).toBe('hello')
  await stop()
  await start()
  expect(await call(offered, 'web.greet')).toBe('hello')
  await stop()
  await start()
  expect([...(await tools()).keys()]).toEqual(['web.greet', 'web.slow'])
  expect([begun, ran, warn.mock.calls]).toEqual([3, ['greet', 'greet'], []])
})

it('begins one new session when several calls learn that theirs has expired', async () => {
  const offered = await tools()
  sessions.clear()
  const results = await Promise.all([1, 2, 3].map(() => call(offered, 'web.greet')))
  expect(results).toEqual(['hello', 'hello', 'hello'])
  expect([begun, ran]).toEqual([2, ['greet', 'greet', 'greet']])
})

it('lets a call end that was under way when its session was forgotten, and then closes it', async () => {
  const offered = await tools()
  const slow = call(offered, 'web.slow')
  const [old = ''] = sessions.keys()
  await vi.waitUntil(() => ran.includes('slow') && listening.has(old), { timeout: 60_000 })
  sessions.clear()
  expect(await call(offered, 'web.greet')).toBe('hello')
  expect(listening).toContain(old)
  finishSlow()
  expect(await slow).toBe('done')
  await vi.waitUntil(() => !listening.has(old), { timeout: 60_000 })
  expect([begun, ran]).toEqual([2, ['slow', 'greet']])
})

it('keeps the tools of a server that is away, and calls it as soon as it is back', async () => {
  const offered = await tools()
  await stop()
  await expect(call(offered, 'web.greet')).rejects.toThrow('Using the MCP server "web" failed')
  expect([...(await tools()).keys()]).toEqual([...offered.keys()])
  await start()
  // its list rests for a moment; a call learns now that it is back
  expect(await call(offered, 'web.greet')).toBe('hello')
  expect((await tools()).size).toBe(2)
  await stop()
  await tools()
  await start()
  now += 10_000
  expect((await tools()).size).toBe(2)
  expect([begun, ran]).toEqual([3, ['greet']])
})

it('begins a new session after 400 too, but makes no call a second time for it', async () => {
  const offered = await tools()
  refuse = answerWith(400, 'Bad Request: No valid session ID provided')
  await expect(call(offered, 'web.greet')).rejects.toThrow('No valid session ID')
  expect(refused).toBe(1)
  refuse = undefined
  expect(await call(offered, 'web.greet')).toBe('hello')
  expect([begun, ran]).toEqual([2, ['greet']])
  answerUnknown = answerWith(400, 'Bad Request: Server not initialized')
  try {
    sessions.clear()
    expect((await tools()).size).toBe(2)
  } finally {
    answerUnknown = answerWith(404, 'Session not found')
  }
  expect([begun, warn.mock.calls]).toEqual([3, []])
})

it.each([
  ['an error of the server', answerWith(500, 'it broke')],
  ['a connection that breaks', (response: ServerResponse) => response.destroy()],
])('makes a call once, and keeps the session, after %s', async (_, refusal) => {
  const offered = await tools()
  refuse = refusal
  await expect(call(offered, 'web.greet')).rejects.toThrow('Using the MCP server "web" failed')
  expect(refused).toBe(1)
  refuse = undefined
  expect(await call(offered, 'web.greet')).toBe('hello')
  expect(begun).toBe(1)
})

it('takes no answer with the code 404 for a session that is gone', async () => {
  const offered = await tools()
  refuse = (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: 2, error: { code: 404, message: 'no such page' } }))
  await expect(call(offered, 'web.greet')).rejects.toThrow('no such page')
  expect([begun, refused]).toEqual([1, 1])
})

it('repeats once only, and rests then, when no session is known for long', async () => {
  const offered = await tools()
  refuse = answerUnknown
  await expect(call(offered, 'web.greet')).rejects.toThrow('Session not found')
  expect([begun, refused, ran]).toEqual([2, 2, []])
  await tools()
  expect(refused).toBe(4)
  await tools()
  expect(refused).toBe(4)
  expect(warn.mock.lastCall?.[1]).toMatchObject({ reason: expect.stringContaining('a moment ago') })
})
