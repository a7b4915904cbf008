import { existsSync } from 'node:fs'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import * as z from 'zod'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { toolContextOf } from '../testing/tool-context.ts'
import type { Tool } from '../../ports/tool.ts'
import type { ToolContent } from '../../ports/tool-content.ts'
import { readProcessTable } from '../exec/process-table.ts'
import type { McpServers, McpServersOptions } from './create-mcp-servers.ts'
import { loadLegacyClient, loadMcpClient, type McpClient } from './load-mcp-client.ts'
import type { McpServerConfig } from './mcp-server-config.ts'
import { loadWith, openServers } from './testing/open-servers.ts'

const modules = Object.fromEntries(
  ['server/mcp.js', 'server/stdio.js'].map((name) => [
    name,
    import.meta.resolve(`@modelcontextprotocol/sdk/${name}`),
  ]),
)
const zod = import.meta.resolve('zod')

// a real server, which tells in a file each time that it starts
const serverScript = `
import { appendFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { McpServer } from ${JSON.stringify(modules['server/mcp.js'])}
import { StdioServerTransport } from ${JSON.stringify(modules['server/stdio.js'])}
import * as z from ${JSON.stringify(zod)}
appendFileSync('starts', process.pid + '\\n')
const server = new McpServer({ name: 'demo', version: '1.0.0' })
const text = (text) => ({ content: [{ type: 'text', text }] })
server.registerTool('add', { description: 'Adds.', inputSchema: { a: z.number(), b: z.number() }, annotations: { readOnlyHint: true } },
  ({ a, b }) => text(String(a + b)))
server.registerTool('env', { description: 'Environment.' }, () => text(Object.keys(process.env).sort().join()))
server.registerTool('fail', { description: 'Fails.' }, () => ({ ...text('it broke'), isError: true }))
server.registerTool('long', { description: 'Much.' }, () => text('ü'.repeat(100000)))
server.registerTool('huge', { description: 'Too much.' }, () => text('x'.repeat(34_000_000)))
server.registerTool('picture', { description: 'Draws.' }, () =>
  ({ content: [{ type: 'image', mimeType: 'image/png', data: Buffer.alloc(6_000_000, 1).toString('base64') }] }))
server.registerTool('deep', { description: 'Nested.' }, () => {
  let nested = {}
  for (let level = 0; level < 3000; level += 1) nested = { nested }
  return { ...text('deep'), structuredContent: nested }
})
server.registerTool('hang', { description: 'Never answers.' }, () => { appendFileSync('hangs', 'x'); return new Promise(() => {}) })
server.registerTool('die', { description: 'Dies.' }, () => process.exit(1))
server.registerTool('structured', { description: 'Data.', outputSchema: { n: z.number() } }, () => ({ ...text('{"n":1}'), structuredContent: { n: 1 } }))
server.registerTool('spawn', { description: 'Leaves a process.' }, () => {
  const child = spawn('sleep', ['7777'], { detached: true, stdio: 'ignore' })
  child.unref()
  return text(String(child.pid))
})
process.stdout.write('Welcome, this line is no message\\n')
await server.connect(new StdioServerTransport())
`

let folder: string
let servers: McpServers
const warn = vi.fn<(message: string, details?: object) => void>()
const signal = () => new AbortController().signal

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'homeward-mcp-')))
  await writeFile(join(folder, 'server.mjs'), serverScript)
  warn.mockReset()
})
afterEach(async () => {
  await servers.close()
  await rm(folder, { recursive: true, force: true })
})

function open(configs: Record<string, McpServerConfig>, more: Partial<McpServersOptions> = {}): McpServers {
  servers = openServers(configs, {
    environment: { PATH: process.env['PATH'], LANG: 'C', HOME: '/home/me', OPENAI_API_KEY: 'sk-provider' },
    logger: { warn, error: warn },
    ...more,
  })
  return servers
}

const stdio = (more: object = {}): Record<string, McpServerConfig> => ({
  demo: { command: 'node', args: [join(folder, 'server.mjs')], cwd: folder, timeoutMs: 20_000, ...more },
})

async function toolsOf(mcp: McpServers, names = ['demo']): Promise<Map<string, Tool>> {
  const { tools } = await mcp.toolsFor(names, signal())
  return new Map(tools.map((tool) => [tool.id, tool]))
}

const call = (
  tool: Tool | undefined,
  args: JsonObject = {},
  ends = signal(),
): Promise<Json | ToolContent> => {
  if (tool === undefined) throw new Error('no such tool')
  return tool.execute(args, toolContextOf({ idempotencyKey: 'k', workspace: folder, signal: ends }))
}

const starts = async () => (await readFile(join(folder, 'starts'), 'utf8')).trim().split('\n').map(Number)

it('offers the tools of a server, untrusted, external unless it says they only read', async () => {
  const tools = await toolsOf(open(stdio()))
  expect(tools.get('demo.add')).toMatchObject({
    description: 'Adds.',
    effects: 'read',
    idempotent: true,
    returnsUntrustedContent: true,
  })
  expect(tools.get('demo.add')?.inputSchema).toMatchObject({ type: 'object', required: ['a', 'b'] })
  expect(tools.get('demo.fail')).toMatchObject({
    effects: 'external',
    idempotent: false,
    returnsUntrustedContent: true,
  })
  expect(await call(tools.get('demo.add'), { a: 2, b: 3 })).toBe('5')
  expect(await call(tools.get('demo.structured'))).toEqual({ n: 1 })
  await expect(call(tools.get('demo.fail'))).rejects.toThrow('The tool "demo.fail" failed: it broke')
})

it("lets the operator's word about effects win over the server's", async () => {
  const tools = await toolsOf(open(stdio({ effects: 'external' })))
  expect(tools.get('demo.add')).toMatchObject({ effects: 'external', idempotent: false })
})

it('hands a server no environment but PATH, LANG, HOME and what the operator named', async () => {
  const tools = await toolsOf(open(stdio({ env: { TOKEN: 'for the server' } })))
  expect(await call(tools.get('demo.env'))).toBe('HOME,LANG,PATH,TOKEN')
})

it('connects once for any number of runs, and again when the server died', async () => {
  const mcp = open(stdio())
  const [first] = await Promise.all([toolsOf(mcp), toolsOf(mcp), toolsOf(mcp)])
  expect(await starts()).toHaveLength(1)
  await expect(call(first?.get('demo.die'))).rejects.toThrow('Using the MCP server "demo" failed')
  expect(await call(first?.get('demo.add'), { a: 1, b: 1 })).toBe('2')
  expect(await starts()).toHaveLength(2)
})

it.runIf(process.platform === 'linux')('ends the server and what it started when it is closed', async () => {
  const mcp = open(stdio())
  const tools = await toolsOf(mcp)
  const child = Number(await call(tools.get('demo.spawn')))
  const [server = 0] = await starts()
  expect([await isRunning(child), await isRunning(server)]).toEqual([true, true])
  await mcp.close()
  await mcp.close()
  expect([await isRunning(child), await isRunning(server)]).toEqual([false, false])
  await expect(call(tools.get('demo.add'), { a: 1, b: 1 })).rejects.toThrow('the runtime was closed')
})

it('leaves out the tools and the content that it cannot read, tells of tools once, and keeps the others', async () => {
  const content = [{ type: 'hologram' }, { type: 'text', text: 'said' }]
  const schema = { type: 'object' }
  const listed = [
    { name: 'ok', inputSchema: schema },
    { name: 'odd', inputSchema: { type: 'text' } },
    { name: 7 },
  ]
  const many = Array.from({ length: 600 }, (_, at) => ({ name: `t${at}`, inputSchema: schema }))
  const lists = [listed, listed, many]
  const load = () =>
    loadWith(async ({ method }) => (method === 'tools/list' ? { tools: lists.shift() } : { content }))
  const mcp = open({ odd: { url: 'http://127.0.0.1:1/mcp' } }, { load })
  const tools = await toolsOf(mcp, ['odd'])
  expect([...tools.keys()]).toEqual(['odd.ok'])
  expect(await call(tools.get('odd.ok'))).toBe('[content of an unknown kind]\nsaid')
  await toolsOf(mcp, ['odd'])
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    expect.stringContaining('Loading some tools of an MCP server failed'),
    {
      server: 'odd',
      atLeast: 2,
    },
  )
  expect((await toolsOf(mcp, ['odd'])).size).toBe(500)
  expect(warn).toHaveBeenLastCalledWith(expect.stringContaining('too many'), { server: 'odd', atLeast: 100 })
  expect((await toolsOf(mcp, ['odd'])).size).toBe(500)
  expect(warn.mock.lastCall?.[1]).toMatchObject({
    reason: expect.stringContaining('list of tools is invalid'),
  })
})

it('bounds results and messages', async () => {
  const tools = await toolsOf(open(stdio()))
  const long = (await call(tools.get('demo.long'))) as { truncated: boolean; text: string }
  expect(long).toMatchObject({ truncated: true, size: 200_000 })
  expect(Buffer.byteLength(long.text)).toBeLessThanOrEqual(1000)
  const picture = (await call(tools.get('demo.picture'))) as unknown as { content: { data: string }[] }
  expect(picture.content[0]?.data).toHaveLength(8_000_000)
  await expect(call(tools.get('demo.huge'))).rejects.toThrow(
    'Using the MCP server "demo" failed: it sent a message of more than 33554432 bytes.',
  )
})

it('says of an answer that it is nested too deeply, and goes on', async () => {
  const tools = await toolsOf(open(stdio({ env: { SERVICE_TOKEN: 'a secret to look for' } })))
  await expect(call(tools.get('demo.deep'))).rejects.toThrow(
    'Using the MCP server "demo" failed: its response is nested too deeply.',
  )
  expect(await call(tools.get('demo.add'), { a: 1, b: 2 })).toBe('3')
})

it('ends a call with its time, and with the run', async () => {
  const tools = await toolsOf(open(stdio({ timeoutMs: 2000 })))
  await expect(call(tools.get('demo.hang'))).rejects.toThrow(/failed: .*timed out/)
  const cancel = new AbortController()
  const hanging = call(tools.get('demo.hang'), {}, cancel.signal)
  hanging.catch(() => undefined)
  await vi.waitUntil(
    async () => existsSync(join(folder, 'hangs')) && (await readFile(join(folder, 'hangs'), 'utf8')) === 'xx',
    { timeout: 60_000 },
  )
  const reason = new Error('cancelled')
  cancel.abort(reason)
  await expect(hanging).rejects.toBe(reason)
})

it('leaves out what cannot be reached, says so, and does not try again at once', async () => {
  let now = 0
  const mcp = open({ gone: { command: 'no-such-program' }, ...stdio() }, { now: () => now })
  const { tools, missing } = await mcp.toolsFor(['gone', 'demo', 'unknown', '__proto__'], signal())
  expect(missing).toEqual(['gone', 'unknown', '__proto__'])
  expect(tools.map((tool) => tool.id)).toContain('demo.add')
  expect(warn.mock.calls.map(([message]) => message)).toContain(
    'An agent uses an MCP server that is not configured',
  )
  await mcp.toolsFor(['gone'], signal())
  expect(warn.mock.lastCall?.[1]).toMatchObject({ reason: expect.stringContaining('a moment ago') })
  now = 60_000
  await mcp.toolsFor(['gone'], signal())
  expect(warn.mock.lastCall?.[1]).toMatchObject({ reason: expect.stringContaining('ENOENT') })
})

it('does not wait for a server that never greets, once it is closed', async () => {
  const script = join(folder, 'mute.mjs')
  await writeFile(
    script,
    "import { writeFileSync } from 'node:fs'; process.stdin.resume(); writeFileSync('starts', '')",
  )
  const mcp = open({ mute: { command: 'node', args: [script], cwd: folder, timeoutMs: 3_600_000 } })
  const asked = mcp.toolsFor(['mute'], signal())
  await vi.waitUntil(() => existsSync(join(folder, 'starts')), { timeout: 60_000 })
  await mcp.close()
  expect(await asked).toEqual({ tools: [], missing: ['mute'] })
})

it('lists the tools of a server within its time, however many pages it sends', async () => {
  let pages = 0
  /** Answers a bit too slowly, for ever. */
  const request: McpClient['request'] = (_, { signal: ends }) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve({ tools: [], nextCursor: String((pages += 1)) }), 900)
      ends.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(ends.reason as Error)
      })
    })
  const modules = await loadWith(request)
  const load = async () => modules
  vi.useFakeTimers()
  try {
    const mcp = open({ slow: { url: 'http://127.0.0.1:1/mcp', timeoutMs: 2000 } }, { load })
    const asked = mcp.toolsFor(['slow'], signal())
    await vi.advanceTimersByTimeAsync(2000)
    expect(await asked).toEqual({ tools: [], missing: ['slow'] })
    expect(pages).toBe(2)
    expect(warn.mock.lastCall?.[1]).toMatchObject({ reason: expect.stringContaining('timed out') })
    expect(await mcp.toolsFor(['slow'], signal())).toEqual({ tools: [], missing: ['slow'] })
    expect([pages, vi.getTimerCount()]).toEqual([2, 0])
  } finally {
    vi.useRealTimers()
  }
})

it('speaks streamable HTTP, sends the headers of the operator and shows them to nobody', async () => {
  const http = await startHttpServer()
  try {
    const { port } = http.address() as AddressInfo
    const headers = { authorization: 'Bearer secret-of-the-operator' }
    const tools = await toolsOf(open({ web: { url: `http://127.0.0.1:${port}/mcp`, headers } }), ['web'])
    expect(await call(tools.get('web.greet'), { name: 'Ada' })).toBe('Hello Ada')
    expect(await call(tools.get('web.greet'), { name: 'secret-of-the-operator' })).toBe('Hello [secret]')
    await servers.close()
    const wrong = open({
      web: { url: `http://127.0.0.1:${port}/mcp`, headers: { authorization: 'Bearer wrong-secret' } },
    })
    expect(await wrong.toolsFor(['web'], signal())).toEqual({ tools: [], missing: ['web'] })
    expect(JSON.stringify(warn.mock.calls)).not.toContain('wrong-secret')
  } finally {
    http.closeAllConnections()
    http.close()
  }
})

it.each([
  ['apiKey=key-of-the-operator&mode=fast', 'apiKey=[secret]&mode=fast'],
  // a form would write it in another way
  ['apiKey=key+of/the=operator', 'apiKey=[secret]'],
])(
  'shows nobody a key that stands in the address of a server (%s), which may say its address in an error',
  async (query, shown) => {
    const http = createServer((request, response) => response.writeHead(500).end(`Cannot ${request.url}`))
    await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
    const { port } = http.address() as AddressInfo
    await open(
      { web: { url: `http://127.0.0.1:${port}/mcp?${query}` } },
      { load: loadLegacyClient },
    ).toolsFor(['web'], signal())
    http.close()
    expect(warn.mock.lastCall?.[1]).toMatchObject({ reason: expect.stringContaining(shown) })
  },
)

it('shows nobody the beginning of a key either, where a long error is cut', async () => {
  const http = createServer((request, response) => response.writeHead(500).end(`Cannot ${request.url}`))
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const query = `pad=${'x'.repeat(420)}&token=key-of-the-operator`
  await open({ web: { url: `http://127.0.0.1:${port}/mcp?${query}` } }, { load: loadLegacyClient }).toolsFor(
    ['web'],
    signal(),
  )
  http.close()
  expect(warn.mock.lastCall?.[1]).toMatchObject({ reason: expect.stringMatching(/&token=\[secret\.$/) })
})

it('shows nobody what stands before the host of an address: fetch refuses it, and says the address', async () => {
  const url = 'http://key-of-ann:word%2Dof-ann@127.0.0.1:1/mcp'
  await open({ web: { url } }, { load: loadLegacyClient }).toolsFor(['web'], signal())
  expect(warn.mock.lastCall?.[1]).toMatchObject({
    reason: expect.stringContaining('http://[secret]:[secret]@127.0.0.1:1/mcp'),
  })
})

it('shows nobody a key that stands in the path of a server', async () => {
  const http = createServer((request, response) => response.writeHead(500).end(`Cannot ${request.url}`))
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/streamable-http-endpoint/3f9c2a7be1d04d6f8a55/mcp`
  await open({ web: { url } }, { load: loadLegacyClient }).toolsFor(['web'], signal())
  http.close()
  expect(warn.mock.lastCall?.[1]).toMatchObject({
    reason: expect.stringContaining('/streamable-http-endpoint/[secret]/mcp'),
  })
})

it('names the package to install when the client is missing', async () => {
  open({})
  const missing = () => Promise.reject(new Error('Cannot find package'))
  await expect(loadMcpClient(missing)).rejects.toThrow('npm install @modelcontextprotocol/client')
})

/** A process that has ended counts as running until somebody asked how; its row in the table does not. */
async function isRunning(pid: number): Promise<boolean> {
  return (await readProcessTable()).some((row) => row.pid === pid)
}

/** A server without sessions: each request has a server of its own, as the package's examples do it. */
async function startHttpServer(): Promise<Server> {
  const http = createServer((request, response) => {
    if (request.headers.authorization !== 'Bearer secret-of-the-operator') {
      response.writeHead(403).end(`forbidden: ${request.headers.authorization}`)
      return
    }
    const server = new McpServer({ name: 'web', version: '1.0.0' })
    server.registerTool(
      'greet',
      { description: 'Greets.', inputSchema: { name: z.string() } },
      ({ name }) => ({
        content: [{ type: 'text', text: `Hello ${name}` }],
      }),
    )
    const transport = new StreamableHTTPServerTransport({})
    void server
      .connect(transport as Parameters<typeof server.connect>[0])
      .then(() => transport.handleRequest(request, response))
  })
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
  return http
}
