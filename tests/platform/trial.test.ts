import { execFile } from 'node:child_process'
import { hostname } from 'node:os'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { shareServer } from '../server/share-server.ts'
import { createPlatformClient } from './platform-client.ts'
import { startStandInProvider } from './stand-in-provider.ts'

const run = promisify(execFile)
const limit = { timeout: 60_000 }
const task = 'Which devices do I have, and which of them are online?'

describe('what npm start prints', limit, () => {
  const shared = shareServer({
    environment: { HOMEWARD_DEVICE: 'on', DEVICE_INTERVAL_MS: '100' },
    whenUp: ({ output }) => vi.waitFor(() => expect(output()).toContain('device: online'), 60_000),
  })

  it("runs the demo agent by its curl line: the answer comes from a skill's tool and holds this machine's device", async () => {
    const line = shared.server.curlLines.find((each) => each.includes('/api/agents/run '))!
    const { stdout } = await run('bash', ['-c', line])
    const result = JSON.parse(stdout)
    expect(result).toMatchObject({ success: true, stop_reason: 'done', model: 'test/tools', tool_calls: 1 })
    expect(result.steps).toMatchObject([{ tool: 'devices_list', result: { status: 200, ok: true } }])
    expect(result.output).toContain(`"name":"${hostname()}"`)
    expect(result.output).toContain('"status":"online"')
  })

  it('A6: streams by its curl -N line: the documented events, numbered, in their order', async () => {
    const line = shared.server.curlLines.find((each) => each.includes('/run/stream'))!
    expect(line).toMatch(/ curl -sN /)
    const { stdout } = await run('bash', ['-c', line])
    const events = [...stdout.matchAll(/^id: (.*)\nevent: (.*)\ndata: (.*)$/gm)].map(
      ([, id, event, data]) => {
        return { id: id!, event: event!, data: JSON.parse(data!) }
      },
    )
    const kinds = events.map(({ event }) => event)
    expect(kinds.filter((kind, at) => kind !== kinds[at - 1])).toEqual([
      'start',
      'usage',
      'tool_start',
      'tool_call',
      'assistant',
      'usage',
      'done',
    ])
    const { run_id: runId } = events[0]!.data
    expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => `${runId}:${at + 1}`))
    const done = events.at(-1)!.data
    expect(done).toMatchObject({
      run_id: runId,
      turnCount: 2,
      model: 'test/tools',
      finalContent: done.output,
    })
    const deltas = events.filter(({ event }) => event === 'assistant').map(({ data }) => data.delta)
    expect(deltas.join('')).toBe(done.finalContent)
    expect(done.finalContent).toContain(hostname())
  })

  it('A6: goes on behind the last event that a client saw', async () => {
    const all = await Array.fromAsync(
      shared.client.events('POST', '/api/agents/run/stream', { agent_id: 'demo', task }),
    )
    const seen = all[2]!
    const path = `/api/runs/${all[0]!.data.run_id}/events`
    const rest = await Array.fromAsync(
      shared.client.events('GET', path, undefined, { 'Last-Event-ID': seen.id }),
    )
    expect(rest).toEqual(all.slice(3))
  })

  it('leaves the device of this machine to the server that has it when another one is started beside it', async () => {
    await using second = await startServer(shared.home, { HOMEWARD_DEVICE: 'on' })
    expect(second.output()).toMatch(
      /device: this server starts without one\. .* failed: process \d+ is using it\./,
    )
    const search = shared.server.curlLines.find((each) => each.includes('/search/query '))!
    const found = shared.server.curlLines.find((each) => each.includes('/search/query?'))!
    await run('bash', ['-c', search])
    await vi.waitFor(
      async () => expect((await run('bash', ['-c', found])).stdout).toContain('completed'),
      30_000,
    )
    expect(shared.server.output()).not.toContain('refused')
  })

  it('serves both descriptions, health and a page', async () => {
    const agents = await shared.client.ok('GET', '/openapi.json')
    expect(agents.paths).toHaveProperty(['/api/agents/run'])
    const cloud = await createPlatformClient(shared.server.url).ok('GET', '/openapi.json')
    expect(cloud.paths).toHaveProperty(['/api/devices/heartbeat'])
    expect(await shared.client.ok('GET', '/health')).toEqual({ status: 'ok' })
    expect((await shared.client.send('GET', '/')).status).toBe(200)
    const wrong = await shared.client.send('POST', '/openapi.json', {})
    expect([wrong.status, wrong.body.code, wrong.headers.get('allow')]).toEqual([
      405,
      'method_not_allowed',
      'GET, HEAD',
    ])
    const missing = await shared.client.send('GET', '/nothing')
    expect([missing.status, missing.body.code]).toEqual([404, 'not_found'])
  })
})

describe('the model of the demo agent', limit, () => {
  it('is a real one when there is a key, and the built-in one again without', async () => {
    await using home = await createHome()
    await using provider = await startStandInProvider([{ tool: 'devices_list' }, { text: 'You have none.' }])
    {
      await using server = await startServer(home.path, provider.environment)
      const client = createPlatformClient(server.agentsUrl)
      const result = await client.ok('POST', '/api/agents/run', { agent_id: 'demo', task })
      expect(result).toMatchObject({ output: 'You have none.', steps: [{ tool: 'devices_list' }] })
      expect(result.model).toMatch(/^openai\//)
      expect(provider.calls.map(({ authorization }) => authorization)).toEqual([
        'Bearer sk-stand-in-key',
        'Bearer sk-stand-in-key',
      ])
      expect(provider.calls[0]?.toolNames).toContain('word_count')
      expect(provider.calls[1]?.prompt).toContain('devices')
      const logs = await client.send('GET', '/api/logs?limit=1000')
      expect(server.output() + logs.text).not.toContain('sk-stand-in-key')
      await server.end('SIGTERM')
    }
    await using server = await startServer(home.path)
    const client = createPlatformClient(server.agentsUrl)
    const result = await client.ok('POST', '/api/agents/run', { agent_id: 'demo', task })
    expect(result).toMatchObject({ success: true, model: 'test/tools' })
  })

  it('is the one that DEMO_MODEL names, and stays what a person made of it', async () => {
    await using home = await createHome()
    {
      await using server = await startServer(home.path, { DEMO_MODEL: 'anthropic/claude-opus-4-5' })
      const client = createPlatformClient(server.agentsUrl)
      expect((await client.ok('GET', '/api/agents/demo')).agent.model).toBe('anthropic/claude-opus-4-5')
      const refused = await client.send('POST', '/api/agents/run', { agent_id: 'demo', task })
      expect([refused.status, refused.body.code]).toEqual([400, 'model_not_configured'])
      await client.ok('PUT', '/api/agents/demo', { personality: 'Short.', skills: ['word-count'] })
      await server.end('SIGTERM')
    }
    await using server = await startServer(home.path) // without a key the start works all the same
    const { agent } = await createPlatformClient(server.agentsUrl).ok('GET', '/api/agents/demo')
    expect(agent).toMatchObject({
      model: 'anthropic/claude-opus-4-5',
      personality: 'Short.',
      skills: ['word-count'],
    })
  })
})
