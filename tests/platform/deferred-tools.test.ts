import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { startChatModel } from './chat-model.ts'
import { createPlatformClient } from './platform-client.ts'

const sdk = (name: string) => JSON.stringify(import.meta.resolve(`@modelcontextprotocol/sdk/server/${name}`))

/** An MCP server with 200 tools. It notes each payment, and does not start while the file `away` exists. */
const bank = `
import { appendFileSync, existsSync } from 'node:fs'
import { McpServer } from ${sdk('mcp.js')}
import { StdioServerTransport } from ${sdk('stdio.js')}
import * as z from ${JSON.stringify(import.meta.resolve('zod'))}
if (existsSync('away')) process.exit(1)
const server = new McpServer({ name: 'bank', version: '1.0.0' })
const inputSchema = { amount: z.number().describe('Amount in euros.'), note: z.string().optional() }
const text = (text) => ({ content: [{ type: 'text', text }] })
for (let n = 0; n < 199; n += 1)
  server.registerTool('report_' + n, { description: 'Gives the report number ' + n + '.', inputSchema }, () => text('' + n))
server.registerTool('pay_invoice', { description: 'Pays an invoice of a supplier.', inputSchema }, ({ amount }) => {
  appendFileSync('payments', amount + ';')
  return text('paid ' + amount)
})
await server.connect(new StdioServerTransport())
`

interface Body {
  readonly tools: readonly { readonly function: { readonly name: string } }[]
  readonly messages: readonly unknown[]
}

/** A model that looks for a tool and pays with it. Its second answer never comes. */
async function startPayer() {
  const { promise: searched, resolve } = Promise.withResolvers<void>()
  const model = await startChatModel(
    {
      answer(body) {
        const said = JSON.stringify(body)
        if (said.includes('paid 5')) return { text: 'Paid.' }
        if (!said.includes('bank.pay_invoice'))
          return { calls: [{ name: 'tool_search', args: { query: 'pay an invoice', limit: 1 } }] }
        const args = { tool: 'bank.pay_invoice', arguments: { amount: 5 } }
        return { calls: [{ name: 'call_tool', args }] }
      },
    },
    (number) => {
      if (number !== 1) return undefined
      resolve()
      return new Promise(() => {})
    },
  )
  return { ...model, searched }
}

it('D35: an agent with 200 tools finds and calls one, with the same prompt after a kill -9 and while the server is away', async () => {
  await using home = await createHome()
  await using model = await startPayer()
  const folder = join(home.path, 'bank')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'bank.mjs'), bank)
  const program = { command: 'node', args: [join(folder, 'bank.mjs')], cwd: folder }
  await writeFile(join(home.path, 'mcp.json'), JSON.stringify({ mcpServers: { bank: program } }), {
    mode: 0o600,
  })
  const request = { agent_id: 'payer', task: 'Pay the invoice.' }
  let runId: string
  {
    await using server = await startServer(home.path, model.environment)
    const client = createPlatformClient(server.agentsUrl)
    await client.ok('POST', '/api/agents', { id: 'payer', model: 'openai/local', mcp_servers: ['bank'] })
    const stream = client.events('POST', '/api/agents/run/stream', request)
    runId = (await stream.next()).value.data.run_id
    await model.searched
    await server.end('SIGKILL')
  }
  await using server = await startServer(home.path, model.environment)
  const client = createPlatformClient(server.agentsUrl)
  const find = async () => (await client.ok('GET', `/api/runs/${runId}`)).run
  await expect.poll(async () => (await find()).status).toBe('completed')
  expect((await find()).result.steps).toMatchObject([
    { tool: 'tool_search' },
    { tool: 'bank.pay_invoice', args: { amount: 5 }, result: 'paid 5' },
  ])
  expect(await readFile(join(folder, 'payments'), 'utf8')).toBe('5;')

  await writeFile(join(folder, 'away'), '')
  const other = { ...program, env: { RESTARTED: '1' } } // ends the program that runs
  await client.ok('PUT', '/api/mcp/servers/bank', other)
  expect(await client.ok('POST', '/api/mcp/servers/bank/test')).toMatchObject({ ok: false })
  await client.ok('POST', '/api/agents/run', request)

  const bodies = model.standIn.requests.map(({ body }) => body as unknown as Body)
  const [first] = bodies
  expect(first?.tools.map(({ function: { name } }) => name)).toEqual(
    expect.arrayContaining(['time', 'tool_search', 'call_tool']),
  )
  expect(JSON.stringify(first?.tools).length).toBeLessThan(10_000)
  expect(new Set(bodies.map(({ tools }) => JSON.stringify(tools))).size).toBe(1)
  expect(bodies.at(-1)?.messages[0]).toEqual(first?.messages[0])
})
