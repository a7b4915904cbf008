import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createRuntime, defineAgent, type AgentRuntime } from '../../index.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import { createChatHandler, type ChatHandlerOptions } from './create-chat-handler.ts'

const agent = defineAgent({
  id: 'support',
  model: 'mine/any',
  instructions: ({ metadata }) => `Plan ${metadata['plan'] as string}`,
})

function start(options: Partial<ChatHandlerOptions> = {}) {
  const model = createScriptedModel([{ text: 'Hello.' }, { text: 'Again.' }])
  const runtime: AgentRuntime = createRuntime({ environment: {}, models: { mine: () => model } })
  onTestFinished(() => runtime.close())
  const user: ChatHandlerOptions['user'] = (request) => request.headers.get('X-User') ?? undefined
  const chat = createChatHandler({ runtime, agent, user, ...options })
  const send = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    chat.fetch(
      new Request(`https://app.example${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
  return { model, runtime, chat, send }
}

const ann = { 'x-user': 'ann' }
const bob = { 'x-user': 'bob' }
const ask = (rest: object = {}) => ({
  id: 'c1',
  messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
  trigger: 'submit-message',
  ...rest,
})

it('answers on any path, with what the app has fixed', async () => {
  const { send, runtime, model } = start({ metadata: { plan: 'gold' } })
  const reply = await send('POST', '/anything/at/all', ann, ask({ agent_id: 'other' }))
  expect(reply.status).toBe(200)
  expect(reply.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
  expect(await reply.text()).toContain('Hello.')
  const [run] = (await runtime.runs.list()).runs
  expect(run).toMatchObject({ agent_id: 'support', user_id: 'ann', metadata: { plan: 'gold' } })
  expect(JSON.stringify(model.calls[0]?.prompt)).toContain('Plan gold')
})

it('rejects a caller without a user, and fields that the page may not set', async () => {
  const { send } = start()
  expect((await send('POST', '/chat', {}, ask())).status).toBe(401)
  expect((await send('POST', '/chat', ann, ask({ metadata: { plan: 'gold' } }))).status).toBe(403)
  expect((await send('POST', '/chat', ann, ask({ user_id: 'bob' }))).status).toBe(403)
})

it('lets the page set what the app allows', async () => {
  const { send, runtime } = start({ allow: ['metadata'] })
  expect((await send('POST', '/chat', ann, ask({ metadata: { plan: 'free' } }))).status).toBe(200)
  expect((await runtime.runs.list()).runs[0]?.metadata).toEqual({ plan: 'free' })
})

it('resumes and stops conversations of the caller only', async () => {
  const { send } = start()
  await (await send('POST', '/chat', ann, ask())).text()
  expect(await (await send('GET', '/chat/c1', ann)).json()).toMatchObject({ id: 'c1', messages: [{}, {}] })
  expect((await send('GET', '/chat/c1', bob)).status).toBe(404)
  expect((await send('GET', '/chat/c1/stream', ann)).status).toBe(204)
  expect((await send('GET', '/chat/c1/stream', bob)).status).toBe(204)
  expect((await send('DELETE', '/chat/c1/stream', ann)).status).toBe(200)
  expect((await send('DELETE', '/chat/c1/stream', bob)).status).toBe(404)
})

it('answers over node:http, with an id and one user too', async () => {
  const { chat, runtime } = start({ agent: 'support', user: 'ann' })
  await runtime.agents.put(agent)
  const server = createServer((request, response) => void chat.node(request, response)).listen(0)
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`http://127.0.0.1:${port}/x`, {
    method: 'POST',
    headers,
    body: JSON.stringify(ask()),
  })
  expect(await reply.text()).toContain('Hello.')
})

it.each([
  ['no agent', { agent: undefined }, '"agent" must be'],
  ['a user that is a number', { user: 7 }, '"user" must be'],
  ['an option that does not exist', { users: 'ann' }, '"users" is unknown'],
])('rejects %s', (_, options, message) => {
  expect(() => start(options as never)).toThrow(message)
})
