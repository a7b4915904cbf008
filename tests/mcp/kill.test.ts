import { expect, it } from 'vitest'
import { startAskingServer } from '../../packages/agent-runtime/src/tools/mcp/testing/asking-server.ts'
import { createPlatformClient } from '../platform/platform-client.ts'
import { createHome, startServer } from '../server/server-process.ts'
import { openMcpClient } from './mcp-clients.ts'

it('an MCP client goes on after a kill -9 of the server, without connecting again', async () => {
  await using home = await createHome()
  await using first = await startServer(home.path)
  const port = new URL(first.agentsUrl).port
  await using client = await openMcpClient('version 2', { url: `${first.agentsUrl}/mcp` })
  const { value } = await client.call('run_agent', { agent_id: 'demo', task: 'Hello' })
  expect(value.status).toBe('completed')
  await first.end('SIGKILL')
  await expect(client.call('get_run', { run_id: value.run_id })).rejects.toThrow()
  await using _ = await startServer(home.path, { PORT: port })
  const { value: found } = await client.call('get_run', { run_id: value.run_id })
  expect(found).toMatchObject({ status: 'completed', output: value.output })
})

it('makes a call of an MCP server that asked once, with the answer, when the server was killed while it waited', async () => {
  await using home = await createHome()
  await using shop = await startAskingServer('legacy')
  let id: string
  {
    await using first = await startServer(home.path)
    const client = createPlatformClient(first.agentsUrl)
    await client.ok('PUT', '/api/mcp/servers/shop', { url: shop.url })
    await client.ok('POST', '/api/agents', { id: 'payer', model: 'test/tools', mcp_servers: ['shop'] })
    const run = await client.ok('POST', '/api/agents/run', {
      agent_id: 'payer',
      task: '{"tool": "shop_pay", "args": {}}',
    })
    expect(run.waits).toMatchObject([{ kind: 'question', message: 'How much?' }])
    id = run.run_id
    await first.end('SIGKILL')
  }
  await using second = await startServer(home.path)
  const client = createPlatformClient(second.agentsUrl)
  const [wait] = (await client.ok('GET', '/api/waits')).waits
  await client.ok('POST', `/api/runs/${id}/waits/${wait.id}`, { data: { amount: 30 } })
  await expect.poll(async () => (await client.ok('GET', `/api/runs/${id}`)).run.status).toBe('completed')
  expect(shop.done).toEqual(['paid {"amount":30,"currency":"EUR"}'])
})
