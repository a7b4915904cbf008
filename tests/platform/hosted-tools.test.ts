import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  createMockAnthropicProvider,
  createMockResponsesProvider,
  type MockProviderResponse,
} from '@homeward/agent-runtime/testing'
import { expect, it } from 'vitest'
import { createHome, startServer } from '../server/server-process.ts'
import { createPlatformClient, type PlatformEvent } from './platform-client.ts'

const search = { query: 'news', results: [{ url: 'https://news.example/', title: 'News' }] }
const answers: readonly MockProviderResponse[] = [
  { reasoning: 'I search first.', searches: [search], calls: [{ name: 'time', args: {} }] },
  { reasoning: 'Now I know.', text: 'All is well.' },
]

/** A provider on loopback that does not answer its second call until it is let. */
async function startProvider(create: typeof createMockAnthropicProvider) {
  const standIn = create({ answer: (_, number) => answers[number] ?? { text: 'Yes.' } })
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  let calls = 0
  const server = createServer((request, response) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse) {
    const body = await text(request)
    calls += 1
    // The server is killed while it waits for this answer.
    if (calls === 2) return reach()
    const reply = await standIn.fetch(`http://provider.example${request.url}`, { method: 'POST', body })
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' })
    response.end(await reply.text())
  }
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    standIn,
    reached,
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

it.each([
  ['anthropic/claude-sonnet-5', createMockAnthropicProvider, 'ANTHROPIC', {}],
  ['openai/gpt-6-sol', createMockResponsesProvider, 'OPENAI', { OPENAI_API: 'responses' }],
] as const)(
  'A8, A21: a search of %s is stored, and goes back unchanged after a kill -9',
  { timeout: 120_000 },
  async (model, create, name, more) => {
    await using home = await createHome()
    await using provider = await startProvider(create)
    const environment = { [`${name}_API_KEY`]: 'sk-stand-in', [`${name}_BASE_URL`]: provider.url, ...more }
    const seen: PlatformEvent[] = []
    const task = { agent_id: 'finder', task: 'What is new?', conversation_id: 'talk' }
    let runId = ''
    {
      await using server = await startServer(home.path, environment)
      const client = createPlatformClient(server.agentsUrl)
      const wrong = await client.send('POST', '/api/agents', { id: 'x', model, hosted_tools: ['shell'] })
      expect(wrong.status).toBe(400)
      const { agent } = await client.ok('POST', '/api/agents', {
        id: 'finder',
        model,
        hosted_tools: ['web_search'],
      })
      expect(agent.hosted_tools).toEqual(['web_search'])
      const stream = client.events('POST', '/api/agents/run/stream?reasoning=true', task)
      for await (const event of stream) {
        seen.push(event)
        if (event.event === 'tool_call' && event.data.name === 'time') break
      }
      runId = seen[0]?.data.run_id
      await provider.reached
      await server.end('SIGKILL')
    }
    expect(seen.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['reasoning', 'tool_start', 'tool_call', 'source']),
    )
    await using server = await startServer(home.path, environment)
    const client = createPlatformClient(server.agentsUrl)
    const replayed = await Array.fromAsync(client.events('GET', `/api/runs/${runId}/events`))
    expect(replayed.at(-1)?.data).toMatchObject({ finalContent: 'All is well.', tool_calls: 1 })
    expect(replayed.filter(({ event }) => event === 'source').map(({ data }) => data.url)).toEqual([
      'https://news.example/',
    ])
    expect(replayed.map(({ event }) => event)).not.toContain('reasoning')
    expect((await client.ok('POST', '/api/agents/run', { ...task, task: 'Sure?' })).output).toBe('Yes.')
    expect(provider.standIn.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([])
    expect(JSON.stringify(provider.standIn.requests.at(-1)?.body)).toMatch(/web_search_call|server_tool_use/)
    const { messages } = await client.ok('GET', '/api/conversations/talk')
    expect(messages.flatMap(({ sources = [] }) => sources)).toHaveLength(1)
    await client.ok('PUT', '/api/agents/finder', { hosted_tools: null })
    expect((await client.ok('POST', '/api/agents/run', { ...task, task: 'And now?' })).output).toBe('Yes.')
    expect(provider.standIn.requests.flatMap(({ refusal }) => refusal ?? [])).toEqual([])
  },
)
