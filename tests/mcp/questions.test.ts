import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startPlatform } from '../../packages/agent-runtime/src/server/testing/start-platform.ts'
import {
  createScriptedModel,
  type ScriptedResponse,
} from '../../packages/agent-runtime/src/testing/scripted-model.ts'
import { startProtectedServer } from '../../packages/agent-runtime/src/tools/mcp/testing/protected-server.ts'
import { type Answerer, generations, openMcpClient } from './mcp-clients.ts'

const apiToken = 'correct-horse-battery-staple'
const headers = { authorization: `Bearer ${apiToken}` }

const pay = {
  id: 'pay',
  description: 'Pays.',
  inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  effects: 'external',
  idempotent: false,
  returnsUntrustedContent: false,
  execute: async () => ({ paid: true }),
} as const

const asks = (args: object): ScriptedResponse => ({ toolCalls: [{ name: 'ask_user', args }] })
const pays: ScriptedResponse = { toolCalls: [{ name: 'pay', args: { amount: 5 } }] }
const done: ScriptedResponse = { text: 'Done.' }

async function start(steps: readonly ScriptedResponse[]) {
  const model = createScriptedModel(steps)
  const platform = await startPlatform('over HTTP', {
    models: { mine: () => model },
    tools: [pay],
    auth: { kind: 'settings' },
    environment: { API_TOKEN: apiToken },
  })
  const send = (method: string, path: string, body?: object) =>
    platform.send(method, path, { headers, ...(body && { body }) })
  await send('POST', '/api/agents', {
    id: 'clerk',
    model: 'mine/any',
    description: 'Does office work.',
    ask_user: true,
    approval_tools: ['pay'],
  })
  const lastResult = () => JSON.stringify(model.calls.at(-1)?.prompt.at(-1))
  return Object.assign(platform, { mcp: `${platform.url}/mcp`, act: send, lastResult })
}

/** Answers every question the same way, and notes it. */
function answering(...answers: Awaited<ReturnType<Answerer>>[]) {
  const asked: Parameters<Answerer>[0][] = []
  const answer: Answerer = async (question) => {
    asked.push(question)
    return answers[Math.min(asked.length, answers.length) - 1]!
  }
  return { asked, answer }
}

const open = (platform: { readonly mcp: string }, answer?: Answerer, given = headers) =>
  openMcpClient('version 2', { url: platform.mcp, headers: given }, answer)

describe('what a run waits for, as elicitations', () => {
  it('asks a question in a form, and the run ends with the answer', async () => {
    const schema = {
      type: 'object',
      properties: {
        size: { enum: [38, 40], enumNames: ['small', 'large'], title: 'Size' },
        gift: { type: 'boolean' },
        count: { type: 'integer', minimum: 1 },
        notes: { type: 'array', items: { enum: ['red', 'blue'] } },
        address: { type: 'object', properties: { street: { type: 'string' } } },
        more: { type: 'string', pattern: '^x' },
      },
      required: ['size', 'count'],
    }
    await using platform = await start([asks({ message: 'Which shoes?', schema }), done])
    const content = { size: 'large', gift: true, count: 2, notes: ['red'], address: '{"street":"Main"}' }
    const { asked, answer } = answering({ action: 'accept', content })
    await using client = await open(platform, answer)
    const { value } = await client.call('agent_clerk', { task: 'Buy shoes' })
    expect(value).toMatchObject({ agent_id: 'clerk', status: 'completed', output: 'Done.' })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({
      message: 'Which shoes?',
      requestedSchema: {
        type: 'object',
        properties: {
          size: { type: 'string', title: 'Size', oneOf: [{ const: 'small' }, { const: 'large' }] },
          gift: { type: 'boolean' },
          count: { type: 'integer', minimum: 1 },
          notes: { type: 'array', items: { anyOf: [{ const: 'red' }, { const: 'blue' }] } },
          address: { type: 'string', description: 'In JSON.' },
        },
        required: ['size', 'count'],
      },
    })
    const data = { size: 40, gift: true, count: 2, notes: ['red'], address: { street: 'Main' } }
    const { run } = (await platform.act('GET', `/api/runs/${value.run_id}`)).body
    expect(run.waits).toMatchObject([{ status: 'answered', data }])
  })

  it('asks again if the answer does not fit, and says why', async () => {
    const schema = { type: 'string', minLength: 3, pattern: '^x' }
    await using platform = await start([asks({ message: 'Code?', schema }), done])
    const { asked, answer } = answering(
      { action: 'accept', content: { answer: 'abc' } },
      { action: 'accept', content: { answer: 'xyz' } },
    )
    await using client = await open(platform, answer)
    const { value } = await client.call('run_agent', { agent_id: 'clerk', task: 'Go' })
    expect(value).toMatchObject({ status: 'completed', output: 'Done.' })
    expect(asked.map(({ message }) => message)).toEqual([
      'Code?',
      expect.stringMatching(/pattern[^]*\n\nCode\?$/),
    ])
    expect(platform.lastResult()).toContain('xyz')
  })

  it.each([
    ['approve', { action: 'accept', content: { decision: 'approve' } }, 'approved'],
    ['deny', { action: 'accept', content: { decision: 'deny' } }, 'denied'],
    ['decline', { action: 'decline' }, 'denied'],
  ] as const)('takes the decision about a call: %s', async (_name, reply, status) => {
    await using platform = await start([pays, done])
    const { asked, answer } = answering(reply)
    await using client = await open(platform, answer)
    const { value } = await client.call('agent_clerk', { task: 'Pay' })
    expect(value).toMatchObject({ status: 'completed', output: 'Done.' })
    expect(asked[0]?.message).toContain('pay? Its arguments: {"amount":5}')
    const { run } = (await platform.act('GET', `/api/runs/${value.run_id}`)).body
    expect(run.approvals).toMatchObject([{ status }])
  })

  it('asks several times in one call, and after a long run from get_run', async () => {
    await using platform = await start([asks({ message: 'Name?' }), pays, done])
    const without = await open(platform)
    const { value: words } = await without.call('agent_clerk', { task: 'Pay' })
    await without[Symbol.asyncDispose]()
    expect(words).toMatchObject({ status: 'waiting', waits: [{ kind: 'question', message: 'Name?' }] })
    const { asked, answer } = answering(
      { action: 'accept', content: { answer: 'Ann' } },
      { action: 'accept', content: { decision: 'approve' } },
    )
    await using client = await open(platform, answer)
    const { value } = await client.call('get_run', { run_id: words.run_id })
    expect(value).toMatchObject({ run_id: words.run_id, status: 'completed', output: 'Done.' })
    expect(asked).toHaveLength(2)
  })

  it('answers in words if the person closes the question, which stays open', async () => {
    await using platform = await start([asks({ message: 'Name?' }), done])
    const { asked, answer } = answering({ action: 'cancel' })
    await using client = await open(platform, answer)
    const { value } = await client.call('agent_clerk', { task: 'Go' })
    expect(value).toMatchObject({ status: 'waiting', waits: [{ message: 'Name?' }] })
    expect(asked).toHaveLength(1)
  })

  it('asks nobody whose token may not approve, and no client of an older protocol', async () => {
    await using platform = await start([pays, pays])
    const { secret: token } = (
      await platform.act('POST', '/api/tokens', { name: 'runner', scopes: ['run', 'read'] })
    ).body
    const { asked, answer } = answering({ action: 'accept', content: { decision: 'approve' } })
    await using runner = await open(platform, answer, { authorization: `Bearer ${token}` })
    const approvals = [{ tool: 'pay' }]
    expect((await runner.call('agent_clerk', { task: 'Pay' })).value).toMatchObject({
      status: 'waiting',
      approvals,
    })
    const target = { url: platform.mcp, headers }
    await using older = await openMcpClient('version 2, older protocol', target, answer)
    expect((await older.call('agent_clerk', { task: 'Pay' })).value).toMatchObject({
      status: 'waiting',
      approvals,
    })
    expect(asked).toEqual([])
  })
})

it('gives the link of a login to clients that open links, and continues when the person is back', async () => {
  const home = await mkdtemp(join(tmpdir(), 'homeward-mcp-questions-'))
  try {
    await using shop = await startProtectedServer()
    await using platform = await startPlatform('over HTTP', {
      home,
      platformOrigins: () => ['http://127.0.0.1:1'],
    })
    const oauth = { grant_type: 'authorization_code', client_id: 'person' }
    const server = { url: shop.url, oauth, login: 'user' }
    await platform.send('PUT', '/api/mcp/servers/shop', { body: server })
    const agent = { id: 'buyer', model: 'test/tools', mcp_servers: ['shop'], description: 'Buys.' }
    await platform.send('POST', '/api/agents', { body: agent })
    const { secret: token } = (
      await platform.send('POST', '/api/tokens', {
        body: { name: 'ann', scopes: ['run', 'read', 'approve'], user_id: 'ann' },
      })
    ).body
    const answer: Answerer = async ({ mode, url = '' }) => {
      expect(mode).toBe('url')
      const back = await shop.visit(url)
      // the person needs a moment
      setTimeout(() => void platform.send('GET', back.pathname + back.search), 100)
      return { action: 'accept' }
    }
    await using client = await open({ mcp: `${platform.url}/mcp` }, answer, {
      authorization: `Bearer ${token}`,
    })
    const { value } = await client.call('agent_buyer', { task: 'shop.account {}' })
    expect(value).toMatchObject({ status: 'completed', output: expect.stringContaining('account of ann') })
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})

it.each(generations)('links the files of a result, and reads them: %s', async (generation) => {
  const home = await mkdtemp(join(tmpdir(), 'homeward-mcp-files-'))
  try {
    const files = [
      { mediaType: 'text/plain', data: new TextEncoder().encode('Hello') },
      { mediaType: 'image/png', data: new Uint8Array([0x89, 0x50, 0x4e, 0x47]) },
    ]
    const model = createScriptedModel([{ text: 'Here.', files }])
    await using platform = await startPlatform('over HTTP', { home, models: { mine: () => model } })
    await platform.send('POST', '/api/agents', {
      body: { id: 'a', model: 'mine/any', description: 'Writes.' },
    })
    await using client = await openMcpClient(generation, { url: `${platform.url}/mcp` })
    const { value, content } = await client.call('agent_a', { task: 'Write' })
    const links = content.slice(1)
    const [{ url: text }, { url: picture }] = value.files
    expect(text).toMatch(new RegExp(`^${platform.url}/api/files/[\\w-]+$`))
    const head = { type: 'resource_link', uri: text, mimeType: 'text/plain', size: 5 }
    expect(links).toMatchObject([head, { type: 'resource_link', uri: picture, mimeType: 'image/png' }])
    expect(await client.read(text)).toMatchObject([{ uri: text, mimeType: 'text/plain', text: 'Hello' }])
    expect(await client.read(picture)).toMatchObject([{ mimeType: 'image/png', blob: 'iVBORw==' }])
    await expect(client.read(`${platform.url}/api/files/none`)).rejects.toThrow(/not found/i)
    await expect(client.read('file:///etc/passwd')).rejects.toThrow(/not found/i)
    const { content: again } = await client.call('get_run', { run_id: value.run_id })
    expect(again.slice(1)).toEqual(links)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})
