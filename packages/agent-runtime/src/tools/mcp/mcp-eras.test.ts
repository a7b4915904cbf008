import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { McpServer as LegacyServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { toolContextOf } from '../testing/tool-context.ts'
import type { McpServers } from './create-mcp-servers.ts'
import { loadLegacyClient } from './load-mcp-client.ts'
import type { McpServerConfig } from './mcp-server-config.ts'
import { openServers } from './testing/open-servers.ts'

const resolved = (name: string) => JSON.stringify(import.meta.resolve(name))

const register = `
server.registerTool('echo', { description: 'Echoes.', inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
  content: [{ type: 'text', text }, { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }],
}))`

const legacyProgram = `
import { McpServer } from ${resolved('@modelcontextprotocol/sdk/server/mcp.js')}
import { StdioServerTransport } from ${resolved('@modelcontextprotocol/sdk/server/stdio.js')}
import * as z from ${resolved('zod')}
const server = new McpServer({ name: 'old', version: '1.0.0' })
${register}
await server.connect(new StdioServerTransport())`

const modernProgram = (legacy: string) => `
import { McpServer } from ${resolved('@modelcontextprotocol/server')}
import { serveStdio } from ${resolved('@modelcontextprotocol/server/stdio')}
import * as z from ${resolved('zod')}
serveStdio(() => {
  const server = new McpServer({ name: 'new', version: '1.0.0' })
  ${register}
  return server
}, { legacy: '${legacy}' })`

/** Ends at the first message that is not the greeting of its time, as some older servers do. */
const strictProgram = `
import { createInterface } from 'node:readline'
let isGreeted = false
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (!isGreeted && method !== 'initialize') process.exit(1)
  isGreeted = true
  const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
  if (method === 'initialize')
    answer({ protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'strict', version: '1' } })
  if (method === 'tools/list') answer({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] })
  if (method === 'tools/call') answer({ content: [{ type: 'text', text: 'hello' }, { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }] })
})`

let servers: McpServers | undefined
afterEach(() => servers?.close())

async function program(text: string): Promise<McpServerConfig> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'homeward-mcp-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'server.mjs'), text)
  return { command: process.execPath, args: [join(folder, 'server.mjs')], timeoutMs: 20_000 }
}

const echo = {
  description: 'Echoes.',
  inputSchema: z.object({ text: z.string() }),
}
const answer = (text: string) => ({
  content: [
    { type: 'text' as const, text },
    { type: 'image' as const, mimeType: 'image/png', data: 'iVBORw0KGgo=' },
  ],
})

/** @returns the address of a server that speaks the versions before 2026 only */
async function serveLegacy(): Promise<McpServerConfig> {
  return await listen(async (request) => {
    const server = new LegacyServer({ name: 'old', version: '1.0.0' })
    server.registerTool('echo', { ...echo, inputSchema: { text: z.string() } }, ({ text }) => answer(text))
    const transport = new StreamableHTTPServerTransport({})
    await server.connect(transport)
    return (response) => transport.handleRequest(request, response)
  })
}

type Answering = (
  request: Parameters<StreamableHTTPServerTransport['handleRequest']>[0],
) => Promise<(response: Parameters<StreamableHTTPServerTransport['handleRequest']>[1]) => Promise<void>>

async function listen(answerTo: Answering): Promise<McpServerConfig> {
  const http = createServer((request, response) => {
    void answerTo(request).then((send) => send(response))
  })
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, timeoutMs: 20_000 }
}

/** @returns the address of a server of the official package of 2026 */
async function serveModern(legacy: 'stateless' | 'reject'): Promise<McpServerConfig> {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'new', version: '1.0.0' })
      server.registerTool('echo', echo, ({ text }) => answer(text))
      return server
    },
    { legacy },
  )
  return await listen(async (request) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}
    const given = await handler.fetch(
      new Request(`http://${request.headers.host}${request.url}`, {
        method: request.method ?? 'GET',
        headers,
        ...body,
      }),
    )
    return async (response) => {
      response.writeHead(given.status, Object.fromEntries(given.headers))
      response.end(Buffer.from(await given.arrayBuffer()))
    }
  })
}

it.each<[string, () => Promise<McpServerConfig>, string]>([
  ['a program of the older package', () => program(legacyProgram), '2025-'],
  ['a program of the newer package for both eras', () => program(modernProgram('serve')), '2026-07-28'],
  ['a program that speaks the newest version only', () => program(modernProgram('reject')), '2026-07-28'],
  ['a program that ends when it is asked for its version', () => program(strictProgram), '2024-11-05'],
  ['an address of the older package', serveLegacy, '2025-'],
  ['an address of the newer package for both eras', () => serveModern('stateless'), '2026-07-28'],
  ['an address that speaks the newest version only', () => serveModern('reject'), '2026-07-28'],
])('lists and calls the tools of %s', async (_, serve, version) => {
  const warn = vi.fn()
  servers = openServers({ s: await serve() }, { logger: { warn, error: warn }, maxResultBytes: 10_000 })
  const { signal } = new AbortController()
  const { tools } = await servers.toolsFor(['s'], signal)
  expect([tools.map(({ id }) => id), warn.mock.calls]).toEqual([['s.echo'], []])
  expect(await tools[0]?.execute({ text: 'hello' }, toolContextOf())).toEqual({
    content: [
      { type: 'text', text: 'hello' },
      { type: 'file', media_type: 'image/png', data: 'iVBORw0KGgo=' },
    ],
  })
  expect((await servers.test('s', signal)).protocolVersion).toContain(version)
})

it.each<[string, () => Promise<McpServerConfig>]>([
  ['a program', () => program(legacyProgram)],
  ['an address', serveLegacy],
  ['an address for both eras', () => serveModern('stateless')],
])('reaches %s with the older client package, if only that one is installed', async (_, serve) => {
  const logger = { warn: vi.fn(), error: vi.fn() }
  servers = openServers({ s: await serve() }, { logger, load: loadLegacyClient, maxResultBytes: 10_000 })
  const { tools } = await servers.toolsFor(['s'], new AbortController().signal)
  expect(await tools[0]?.execute({ text: 'hello' }, toolContextOf())).toMatchObject({
    content: [{ text: 'hello' }, {}],
  })
})
