import { describe, expect, it } from 'vitest'
import {
  startPlatform,
  type TestPlatformOptions,
} from '../../packages/agent-runtime/src/server/testing/start-platform.ts'
import {
  createScriptedModel,
  type ScriptedResponse,
} from '../../packages/agent-runtime/src/testing/scripted-model.ts'
import { generations, openMcpClient } from './mcp-clients.ts'

const pay = {
  id: 'pay',
  description: 'Pays.',
  inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  effects: 'external',
  idempotent: false,
  returnsUntrustedContent: false,
  execute: async () => ({ paid: true }),
} as const

async function start(steps: readonly ScriptedResponse[] = [], options: TestPlatformOptions = {}) {
  const model = createScriptedModel(steps)
  const platform = await startPlatform('over HTTP', {
    models: { mine: () => model },
    tools: [pay],
    ...options,
  })
  const add = (agent: object) => platform.runtime.agents.create(agent as never)
  await add({ id: 'payer', model: 'mine/any', description: 'Pays bills.', approval_tools: ['pay'] })
  await add({ id: 'echo', model: 'test/echo' })
  return {
    ...platform,
    add,
    mcp: `${platform.url}/mcp`,
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  }
}

const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const accept = 'application/json, text/event-stream'

describe.each(generations)('agents as tools of an MCP client of %s', (generation) => {
  it('lists the fixed tools, and one for each agent with a description', async () => {
    await using platform = await start()
    await using client = await openMcpClient(generation, { url: platform.mcp })
    const tools = await client.tools()
    expect(tools.map(({ name }) => name)).toEqual([
      'list_agents',
      'run_agent',
      'get_run',
      'decide_approval',
      'search_memory',
      'agent_payer',
    ])
    expect(tools.at(-1)).toMatchObject({
      description: 'Pays bills.',
      inputSchema: { type: 'object', required: ['task'] },
    })
    const { value } = await client.call('list_agents')
    expect(value.total).toBe(2)
    expect(value.agents.map(({ id }: { id: string }) => id).toSorted()).toEqual(['echo', 'payer'])
    expect(client.instructions).toContain('list_agents')
    if (generation === 'version 2') expect(client.protocol).toBe('2026-07-28')
  })

  it('runs an agent, tells how far it is, and continues the conversation', async () => {
    await using platform = await start()
    await using client = await openMcpClient(generation, { url: platform.mcp })
    const first = await client.call('run_agent', { agent_id: 'echo', task: 'Hello' })
    expect(first.value).toMatchObject({ agent_id: 'echo', status: 'completed', stop_reason: 'done' })
    expect(first.value.output).toContain('Hello')
    expect(first.progress[0]?.message).toContain(first.value.run_id)
    const { conversation_id } = first.value
    const second = await client.call('run_agent', { agent_id: 'echo', task: 'Again', conversation_id })
    expect(second.value.conversation_id).toBe(conversation_id)
    const { value } = await client.call('get_run', { run_id: second.value.run_id })
    expect(value).toMatchObject({ status: 'completed', output: second.value.output })
  })

  it('A20: answers with what a run waits for, and takes the decision of the user', async () => {
    await using platform = await start([
      { toolCalls: [{ name: 'pay', args: { amount: 5 } }] },
      { text: 'Paid.' },
    ])
    await using client = await openMcpClient(generation, { url: platform.mcp })
    const { value, isError } = await client.call('agent_payer', { task: 'Pay' })
    expect([isError, value]).toMatchObject([
      false,
      {
        status: 'waiting',
        approvals: [{ tool: 'pay', args: '{"amount":5}' }],
        next: expect.stringContaining('decide_approval'),
      },
    ])
    const { run_id } = value
    const [{ approval_id }] = value.approvals
    const decided = await client.call('decide_approval', { run_id, approval_id, decision: 'approve' })
    expect(decided.value).toMatchObject({ tool: 'pay', status: 'approved' })
    await expect
      .poll(async () => (await client.call('get_run', { run_id })).value)
      .toMatchObject({ status: 'completed', output: 'Paid.' })
    const again = await client.call('decide_approval', { run_id, approval_id, decision: 'deny' })
    expect([again.isError, again.value]).toMatchObject([true, { status: 409 }])
  })

  it('gives a long output in parts of less than 2,000 tokens', async () => {
    const output = Array.from({ length: 3000 }, (_, place) => `line ${place} "x"\n`).join('')
    await using platform = await start([{ text: output }])
    await using client = await openMcpClient(generation, { url: platform.mcp })
    let { value, text } = await client.call('run_agent', { agent_id: 'payer', task: 'Write' })
    let read = value.output
    while (value.next_offset !== undefined) {
      expect(text.length).toBeLessThanOrEqual(5500)
      const next = await client.call('get_run', { run_id: value.run_id, offset: value.next_offset })
      ;({ value, text } = next)
      read += value.output
    }
    expect(read).toBe(output)
  })

  it('answers mistakes with what was wrong', async () => {
    await using platform = await start()
    await using client = await openMcpClient(generation, { url: platform.mcp })
    const unknown = await client.call('run_agent', { agent_id: 'nobody', task: 'x' })
    expect([unknown.isError, unknown.value.status]).toEqual([true, 404])
    const empty = await client.call('run_agent', { agent_id: 'echo' })
    expect([empty.isError, empty.value.error]).toEqual([true, expect.stringContaining('task: is missing')])
    await expect(client.call('delete_everything')).rejects.toThrow(
      'the tool "delete_everything" does not exist',
    )
    expect(platform.errors).toEqual([])
  })

  it('A11: searches memories', async () => {
    await using platform = await start()
    await platform.send('POST', '/api/memory/write', {
      body: { agent_id: 'echo', text: 'The key is under the mat.' },
    })
    await using client = await openMcpClient(generation, { url: platform.mcp })
    const { value } = await client.call('search_memory', { q: 'key', agent_id: 'echo' })
    expect(value).toMatchObject({
      found: 1,
      memories: [{ agent_id: 'echo', text: 'The key is under the mat.' }],
    })
  })
})

it('A19: lets nobody in without the token, under a foreign name or from a foreign page', async () => {
  await using platform = await start([], { auth: { kind: 'token', token: 'right' } })
  const send = async (headers: Record<string, string>) =>
    (await platform.send('POST', '/mcp', { body: message, headers: { accept, ...headers } })).status
  expect(await send({})).toBe(401)
  expect(await send({ authorization: 'Bearer wrong' })).toBe(401)
  const authorization = 'Bearer right'
  expect(await send({ authorization })).toBe(200)
  expect(await send({ authorization, origin: 'https://evil.example' })).toBe(403)
  const foreign = await platform.runtime.agents.list() // the platform works
  expect(foreign).toHaveLength(2)
  await using client = await openMcpClient('version 2', { url: platform.mcp, headers: { authorization } })
  expect((await client.call('list_agents')).value.total).toBe(2)
})

it('takes null for missing arguments, and answers what is not JSON with the error of JSON-RPC', async () => {
  await using platform = await start()
  const post = async (body: string) => {
    const headers = { 'content-type': 'application/json', accept }
    const response = await fetch(platform.mcp, { method: 'POST', headers, body })
    return { status: response.status, text: await response.text() }
  }
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_agents', arguments: null },
  }
  expect((await post(JSON.stringify(call))).text).toContain('"total":')
  const run = { name: 'run_agent', arguments: { agent_id: 'echo', task: 'Hi', conversation_id: null } }
  expect((await post(JSON.stringify({ ...call, params: run }))).text).toContain('"output":"Hi"')
  const required = { name: 'run_agent', arguments: { agent_id: 'echo', task: null } }
  expect((await post(JSON.stringify({ ...call, params: required }))).text).toContain('task: ')
  expect((await post(JSON.stringify({ ...call, method: 'tools/list', params: null }))).text).toContain(
    '"run_agent"',
  )
  for (const [body, code] of [
    ['{"jsonrpc":', -32_700],
    ['', -32_700],
    ['7', -32_600],
  ] as const) {
    const { status, text } = await post(body)
    expect([status, JSON.parse(text)]).toMatchObject([400, { jsonrpc: '2.0', id: null, error: { code } }])
  }
})

it('gives agents whose ids are long or have dots names that every client takes', async () => {
  await using platform = await start()
  const long = `a${'b'.repeat(63)}`
  await platform.add({ id: long, model: 'test/echo', description: 'Long' })
  await platform.add({ id: 'a.b', model: 'test/echo', description: 'Dotted' })
  await platform.add({ id: 'a_b', model: 'test/echo', description: 'Plain' })
  await using client = await openMcpClient('version 2', { url: platform.mcp })
  const names = (await client.tools()).map(({ name }) => name).filter((name) => name.startsWith('agent_'))
  expect(new Set(names).size).toBe(4)
  for (const name of names) {
    expect(name).toMatch(/^[\w-]{1,64}$/)
    expect((await client.call(name, { task: 'Hi' })).isError).toBe(name === 'agent_payer')
  }
})

it('serves 50 clients at once', async () => {
  await using platform = await start()
  const outputs = await Promise.all(
    Array.from({ length: 50 }, async (_, place) => {
      await using client = await openMcpClient(generations[place % 3]!, { url: platform.mcp })
      return (await client.call('run_agent', { agent_id: 'echo', task: `task ${place}.` })).value
        .output as string
    }),
  )
  expect(outputs.filter((output, place) => output.includes(`task ${place}.`))).toHaveLength(50)
  expect(platform.errors).toEqual([])
})
