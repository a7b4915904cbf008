import { expect, it } from 'vitest'
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
