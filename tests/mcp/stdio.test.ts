import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  startPlatform,
  startWithScripts,
} from '../../packages/agent-runtime/src/server/testing/start-platform.ts'
import { generations, openMcpClient, type Generation } from './mcp-clients.ts'

const program = join(import.meta.dirname, '../../apps/homeward/src/cli/main.ts')

const open = (generation: Generation, url: string, token: string) =>
  openMcpClient(generation, {
    command: process.execPath,
    args: ['--conditions=@homeward/source', program, 'mcp', '--url', url],
    env: { HOMEWARD_TOKEN: token, PATH: process.env['PATH'] ?? '' },
  })

describe('an MCP client on stdio', () => {
  it.each(generations)('of %s has the same tools as over HTTP', async (generation) => {
    // the clients drop progress that arrives in one piece with the result
    const { promise: isTold, resolve: told } = Promise.withResolvers<void>()
    const script = [{ text: 'Hello', gate: () => isTold }]
    await using platform = await startWithScripts('over HTTP', { greeter: script })
    await platform.runtime.agents.update('greeter', { description: 'Greets.' })
    await using client = await open(generation, platform.url, 'any')
    expect(client.instructions).toContain('list_agents')
    expect((await client.tools()).map(({ name }) => name)).toContain('agent_greeter')
    const { value, progress } = await client.call('agent_greeter', { task: 'Greet me' }, () => told())
    expect(value).toMatchObject({ status: 'completed', output: 'Hello' })
    expect(progress.length).toBeGreaterThan(0)
    const unknown = await client.call('get_run', { run_id: 'nothing' })
    expect([unknown.isError, unknown.value.status]).toEqual([true, 404])
  })

  it('reads in words that its token is wrong', async () => {
    await using platform = await startPlatform('over HTTP', { auth: { kind: 'token', token: 'right' } })
    await using client = await open('version 2', platform.url, 'wrong')
    await expect(client.call('list_agents')).rejects.toThrow('Set HOMEWARD_TOKEN')
  })

  it('may start before the server', async () => {
    const first = await startPlatform('over HTTP')
    await first[Symbol.asyncDispose]()
    await using client = await open('version 2', first.url, 'any')
    await expect(client.tools()).rejects.toThrow('the server did not respond')
    await using again = await startPlatform('over HTTP', { port: Number(new URL(first.url).port) })
    expect(again.url).toBe(first.url)
    expect((await client.call('list_agents')).value).toMatchObject({ total: 0 })
  })
})
