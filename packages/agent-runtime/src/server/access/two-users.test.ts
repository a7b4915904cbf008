import type { Operation } from '@homeward/contract'
import { agentPlatformOperations, openaiOperations } from '@homeward/contract/agent-platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toolOf } from '../../runs/testing/run-kit.ts'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import { createEventSockets } from '../events/create-event-sockets.ts'
import { startPlatform, type Answer, type TestPlatform } from '../testing/start-platform.ts'

const apiToken = 'correct-horse-battery-staple'
const admin = { authorization: `Bearer ${apiToken}` }
/** Stands in everything that Ann has, and in nothing else. */
const marker = 'MARKER-OF-ANN'
/** Pays what it is asked to, once. */
const payer: ScriptedResponse = ({ prompt }) => {
  if (prompt.at(-1)?.role === 'tool') return { text: 'Done.' }
  return { toolCalls: [{ name: 'pay', args: { note: JSON.stringify(prompt.at(-1)?.content) } }] }
}

const table: Readonly<Record<string, Operation>> = { ...agentPlatformOperations, ...openaiOperations }
const local = Object.entries(table).filter(([, { auth }]) => auth === 'local')
type User = 'ann' | 'bob'
interface Things {
  readonly run: string
  readonly waiting: string
  readonly approval: string
  readonly remembered: string
  readonly task: string
  readonly conversation: string
  readonly response: string
  readonly file: string
  readonly memory: string
  readonly document: string
}

let platform: TestPlatform
const headers = {} as Record<User, { readonly authorization: string }>
let ann: Things

const as = (user: User, method: string, path: string, body?: object, more?: object) =>
  platform.send(method, path, { headers: { ...headers[user], ...more }, ...(body && { body }) })

async function made(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body, text } = await answer
  expect(status, text).toBeLessThan(300)
  return body
}

/** Everything that a user can have: runs, one of which waits, a decision, a task, a conversation, a response, a file, a memory. */
async function createThings(user: User, text: string): Promise<Things> {
  const post = (path: string, body: object) => made(as(user, 'POST', path, body))
  const files = [{ name: 'a.txt', media_type: 'text/plain', data: btoa(text) }]
  const conversation = `${text}-conversation`
  const asked = { agent_id: 'echo', task: text, conversation_id: conversation, files }
  const { run_id: run } = await post('/api/agents/run', asked)
  const first = await post('/api/agents/run', { agent_id: 'payer', task: text })
  const path = `/api/runs/${first.run_id}/approvals/${first.approvals[0].id}`
  await post(path, { decision: 'approve', remember: 'agent' })
  const list = (await made(as(user, 'GET', '/api/agents/payer/remembered-approvals'))).approvals
  const waiting = await post('/api/agents/run', { agent_id: 'asker', task: text })
  const { task } = await post('/api/tasks', { agent_id: 'echo', task: text })
  const { id: memory } = await post('/api/memory/write', { agent_id: 'echo', text })
  const { id: response } = await post('/v1/responses', { model: 'echo', input: text })
  const added = await post('/api/collections/own/documents', { name: `${text}.txt`, text })
  const shown = await made(as(user, 'GET', `/api/conversations/${conversation}`))
  return {
    run,
    waiting: waiting.run_id,
    approval: waiting.approvals[0].id,
    remembered: list[0].id,
    task: task.id,
    conversation,
    response,
    file: shown.messages[0].files[0].id,
    memory,
    document: added.documents[0].id,
  }
}

beforeAll(async () => {
  platform = await startPlatform('in process', {
    environment: { API_TOKEN: apiToken },
    auth: { kind: 'settings' },
    models: { mine: () => createScriptedModel(Array.from({ length: 100 }, () => payer)) },
    tools: [toolOf('pay', () => 'paid', { effects: 'external' })],
    retry: { attempts: 0 },
  })
  const post = (path: string, body: object) => made(platform.send('POST', path, { body, headers: admin }))
  await post('/api/agents', {
    id: 'echo',
    model: 'test/echo',
    personality: 'SECRET-OF-OPERATOR',
    name: 'Echo',
  })
  for (const id of ['payer', 'asker'])
    await post('/api/agents', { id, model: 'mine/pay', approval_tools: ['pay'] })
  await post('/api/collections', { id: 'own', per_user: true })
  await post('/api/graphs', { id: 'graph', nodes: [{ id: 'n', agent: 'echo' }] })
  for (const user of ['ann', 'bob'] as const) {
    const token = { name: user, scopes: ['read', 'run', 'approve'], user_id: user }
    headers[user] = { authorization: `Bearer ${(await post('/api/tokens', token)).secret as string}` }
  }
  ann = await createThings('ann', marker)
  await createThings('bob', 'OF-BOB')
})
afterAll(() => platform[Symbol.asyncDispose]())

const kinds = 'approval remembered task conversation response file memory document'.split(' ')
const none = Object.fromEntries(kinds.map((kind) => [kind, `no-${kind}`])) as unknown as Things // each kind
const unknown: Things = { ...none, run: 'no-run', waiting: 'no-run' }

function pathOf(path: string, things: Things): string {
  const [, , kind] = path.split('/')
  const ids: Readonly<Record<string, string>> = {
    runs: /\{(approval|wait)_id\}/.test(path) ? things.waiting : things.run,
    tasks: things.task,
    conversations: things.conversation,
    responses: things.response,
    files: things.file,
    memory: things.memory,
    collections: 'own',
    agents: 'payer',
    graphs: 'graph',
  }
  const approval = kind === 'agents' ? things.remembered : things.approval
  return path
    .replace(/\{(approval|wait)_id\}/, approval)
    .replace('{channel}', 'telegram')
    .replace('{user_id}', 'ann')
    .replace('{conversation_id}', things.conversation)
    .replace('{document_id}', things.document)
    .replace(/\{\w+\}/, ids[kind ?? ''] ?? 'echo')
}

const said = { role: 'user', content: 'x' }
/** Bodies of the operations that need one. A new operation needs an entry. */
const bodies: Readonly<Record<string, (things: Things) => object>> = {
  runAgent: ({ conversation }) => ({ agent_id: 'echo', task: 'x', conversation_id: conversation }),
  streamAgentRun: ({ conversation }) => ({ agent_id: 'echo', task: 'x', conversation_id: conversation }),
  chat: ({ conversation: id }) => ({
    id,
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'x' }] }],
  }),
  runAgui: ({ conversation: threadId }) => ({ threadId, runId: 'r', messages: [said] }),
  createTask: ({ conversation }) => ({ agent_id: 'echo', task: 'x', conversation_id: conversation }),
  runGraph: () => ({ graph_id: 'graph', input: 'x' }),
  streamGraphRun: () => ({ graph_id: 'graph', input: 'x' }),
  appendMessage: ({ conversation }) => ({ agent_id: 'echo', content: 'x', conversation_id: conversation }),
  summarizeConversation: ({ conversation }) => ({ conversation_id: `${conversation}-2` }),
  renameConversation: () => ({ title: 'Mine' }),
  decideApproval: () => ({ decision: 'approve' }),
  answerWait: () => ({ data: { decision: 'approve' } }),
  sendRunMessage: () => ({ text: 'x' }),
  sendSignal: () => ({ event: 'x' }),
  rerun: () => ({}),
  setRunFeedback: () => ({ rating: 'up' }),
  writeMemory: () => ({ agent_id: 'echo', text: 'x' }),
  searchMemoryByBody: () => ({ q: marker }),
  sendChannelMessage: () => ({ conversation_id: 'x', text: 'x' }),
  resolveChannelMessage: () => ({ decision: 'discard' }),
  createChatCompletion: () => ({ model: 'echo', messages: [said] }),
  createResponse: () => ({ model: 'echo', input: 'x' }),
  createEmbedding: () => ({ model: 'x', input: 'x' }),
  addDocuments: () => ({ name: 'a.txt', text: 'x' }),
  callAgentTools: () => ({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
}
const queries: Readonly<Record<string, string>> = {
  searchMemory: `?q=${marker}`,
  searchDocuments: `?q=${marker}`,
  previewSchedule: '?schedule=0%200%20*%20*%20*',
  previewStoreSkill: '?slug=x',
}

function call(id: string, things: Things): Promise<Answer> {
  const { method, path, body, optionalBody, scope } = table[id]!
  const needsBody = body !== undefined && !optionalBody && scope !== 'admin'
  if (needsBody && !bodies[id]) throw new Error(`Add a body for ${id}.`)
  const headers = id === 'callAgentTools' ? { accept: 'application/json, text/event-stream' } : {}
  return as('bob', method, pathOf(path, things) + (queries[id] ?? ''), bodies[id]?.(things), headers)
}

const withoutId = ({ status, text }: Answer) => [status, text.replace(/"request_id":"[^"]*"/, '')]
const isForNobody = ({ scope, subject }: Operation) =>
  scope === 'admin' ||
  subject === 'all' ||
  subject === 'shared' ||
  (typeof subject === 'object' && subject.user === 'nobody')
const forNobody = local.filter(([, row]) => isForNobody(row)).map(([id]) => id)
const others = local.filter(([, row]) => !isForNobody(row))
const found = others.flatMap(([id, { subject }]) =>
  subject === 'rule' || (typeof subject === 'object' && 'found' in subject) ? [id] : [],
)

describe('A26: for the token of a user', () => {
  it.each(forNobody)('%s is 403, because it is about what belongs to nobody', async (id) => {
    expect((await call(id, ann)).status).toBe(403)
  })

  it.each(others.map(([id]) => id))('%s shows nothing of another user', async (id) => {
    const { status, text } = await call(id, ann)
    // 404 and 403 are answers too; what fails otherwise shows that the request is wrong
    expect([200, 201, 202, 204, 403, 404], text).toContain(status)
    expect(text).not.toContain(marker.toLowerCase())
    // of what Bob has asked himself, the id of the conversation comes back
    const own = text.replaceAll(ann.conversation, '').replaceAll(`"q":"${marker}"`, '')
    expect(own).not.toContain(marker)
    expect(text).not.toContain('SECRET-OF-OPERATOR')
  })

  it.each(found.filter((id) => id !== 'appendMessage' && id !== 'summarizeConversation'))(
    '%s answers about a thing of another user as about an unknown one',
    async (id) => {
      const things = { ...ann, conversation: `${ann.conversation}-none` }
      expect(withoutId(await call(id, things))).toEqual(withoutId(await call(id, unknown)))
    },
  )

  it.each(['/api/runs', '/api/tasks', '/api/conversations'])(
    'the pages of %s are full, and tell nothing',
    async (path) => {
      // what the operations above have started ends first
      const isOpen = ({ status }: { readonly status?: string }) =>
        status === 'pending' || status === 'running'
      for (const list of ['runs', 'tasks'])
        await expect
          .poll(async () => {
            const { body } = await as('bob', 'GET', `/api/${list}`)
            return (body[list] as { readonly status?: string }[]).filter(isOpen)
          })
          .toEqual([])
      const pages: string[] = []
      let cursor = ''
      for (let count = 0; count < 20; count += 1) {
        const { body } = await as('bob', 'GET', `${path}?limit=1${cursor}`)
        const rows = body[path.slice(5)] as { readonly id: string; readonly user_id: string }[]
        expect(rows.map(({ user_id: user }) => user)).toEqual(['bob'])
        pages.push(rows[0]!.id)
        if (body.next_cursor === undefined) break
        cursor = `&cursor=${body.next_cursor as string}`
      }
      const all = (await as('bob', 'GET', path)).body[path.slice(5)] as { readonly id: string }[]
      expect(pages).toEqual(all.map(({ id }) => id))
      expect((await as('bob', 'GET', `${path}?user_id=ann`)).status).toBe(403)
    },
  )

  it('the tools of /mcp find nothing of another user', async () => {
    const tool = async (name: string, args: object) => {
      const params = { name, arguments: args }
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const more = { accept: 'application/json, text/event-stream' }
      return (await as('bob', 'POST', '/mcp', body, more)).text
    }
    const answers = [
      await tool('get_run', { run_id: ann.run }),
      await tool('decide_approval', { run_id: ann.waiting, approval_id: ann.approval, decision: 'approve' }),
      await tool('search_memory', { q: marker }),
      await tool('list_agents', {}),
    ]
    expect(answers.join('\n')).not.toContain(marker)
    expect(answers[0]).toContain('no run has this id')
    expect(answers[3]).toContain('Echo')
  })

  it('a socket of all events is 403', async () => {
    const sockets = createEventSockets({ runtime: platform.runtime, auth: { kind: 'settings' } })
    const answer = await sockets.checkUpgrade({
      url: 'http://127.0.0.1/api/events',
      headers: new Headers({ host: '127.0.0.1', upgrade: 'websocket', ...headers.bob }),
    })
    expect(answer.isAccepted ? 101 : answer.response.status).toBe(403)
    sockets.close()
  })

  it('a stream of a run of another user cannot be joined by its id', async () => {
    const join = (id: string) =>
      as(
        'bob',
        'POST',
        '/api/agents/run/stream',
        { agent_id: 'echo', task: 'x' },
        { 'last-event-id': `${id}:1` },
      )
    expect(withoutId(await join(ann.run))).toEqual(withoutId(await join('no-run')))
  })

  it('ids that users choose are their own', async () => {
    const run = async (user: User, key: string) => {
      const body = { agent_id: 'echo', task: user, conversation_id: 'same', idempotency_key: key }
      return made(as(user, 'POST', '/api/agents/run', body))
    }
    const [first, second] = [await run('ann', 'k'), await run('bob', 'k')]
    expect([first.conversation_id, second.conversation_id]).toEqual(['same', 'same'])
    expect(second.run_id).not.toBe(first.run_id)
    expect((await run('bob', 'k')).run_id).toBe(second.run_id)
    const contents = async (options: object, path: string) => {
      const { messages } = (await platform.send('GET', path, options)).body
      return (messages as { readonly content: string }[] | undefined)?.map(({ content }) => content)
    }
    const ofBob = ['bob', 'bob']
    expect(await contents({ headers: headers.bob }, '/api/conversations/same')).toEqual(ofBob)
    // several users chose it: the administrator says whose
    expect(await contents({ headers: admin }, '/api/conversations/same')).toBeUndefined()
    expect(await contents({ headers: admin }, '/api/conversations/same?user_id=bob')).toEqual(ofBob)
    await as('bob', 'POST', '/api/agents/run', { agent_id: 'echo', task: 'x', conversation_id: 'only-bob' })
    expect(await contents({ headers: admin }, '/api/conversations/only-bob')).toEqual(['x', 'x'])
    const listed = (await platform.send('GET', '/api/runs?conversation_id=only-bob', { headers: admin })).body
    expect(listed.runs).toHaveLength(1)
    // /v1 takes them from headers
    const chat = { model: 'echo', messages: [{ role: 'user', content: 'y' }] }
    for (const user of ['ann', 'bob'] as const)
      await made(
        as(user, 'POST', '/v1/chat/completions', chat, {
          'x-homeward-conversation': 'same',
          'idempotency-key': 'v1',
        }),
      )
    expect(await contents({ headers: headers.bob }, '/api/conversations/same')).toEqual([...ofBob, 'y', 'y'])
    const task = { agent_id: 'echo', task: 'x', idempotency_key: 't' }
    expect((await made(as('ann', 'POST', '/api/tasks', task))).task.idempotency_key).toBe('t')
    expect((await as('bob', 'POST', '/api/tasks', task)).status).toBe(202)
    expect((await as('bob', 'POST', '/api/tasks', task)).status).toBe(200)
  })

  it('fields that need an allowance are 403 without it', async () => {
    const asked = { agent_id: 'echo', task: 'x' }
    const message = { role: 'user', content: 'x' }
    for (const [path, body] of [
      ['/api/agents/run', { ...asked, metadata: {} }],
      ['/api/agents/run', { ...asked, store: false, messages: [] }],
      ['/api/tasks', { ...asked, model_settings: { temperature: 0 } }],
      ['/api/graphs/run', { graph_id: 'graph', input: 'x', budget: { max_tokens: 5 } }],
      ['/v1/chat/completions', { model: 'echo', temperature: 0, messages: [message] }],
      ['/v1/responses', { model: 'echo', input: 'x', reasoning: { effort: 'low' } }],
    ] as const)
      expect([path, (await as('bob', 'POST', path, body)).status]).toEqual([path, 403])
    const ended = { role: 'assistant', content: 'x' }
    const earlier = { model: 'echo', messages: [message, ended, message] }
    expect((await as('bob', 'POST', '/v1/chat/completions', earlier)).status).toBe(200)
    const body = { name: 'b', scopes: ['run'], user_id: 'bob', allow: ['metadata'] }
    const { secret } = await made(platform.send('POST', '/api/tokens', { body, headers: admin }))
    const allowed = { authorization: `Bearer ${secret as string}` }
    const started = await as('bob', 'POST', '/api/agents/run', { ...asked, metadata: { a: 1 } }, allowed)
    expect(started.status).toBe(200)
  })

  it('another user in a request is 403, and the scope "admin" is 400', async () => {
    const asked = { agent_id: 'echo', task: 'x', user_id: 'ann' }
    expect((await as('bob', 'POST', '/api/agents/run', asked)).status).toBe(403)
    const body = { name: 'b', scopes: ['admin'], user_id: 'bob' }
    expect((await platform.send('POST', '/api/tokens', { body, headers: admin })).status).toBe(400)
  })

  it('leaves everything of the other user as it was', async () => {
    for (const path of [
      `/api/runs/${ann.run}`,
      `/api/tasks/${ann.task}`,
      `/api/conversations/${ann.conversation}`,
      `/api/files/${ann.file}`,
    ])
      expect([path, (await as('ann', 'GET', path)).status]).toEqual([path, 200])
    const { run } = (await as('ann', 'GET', `/api/runs/${ann.waiting}`)).body
    expect([run.status, run.approvals[0].status]).toEqual(['waiting', 'pending'])
    expect((await as('ann', 'GET', '/api/agents/payer/remembered-approvals')).body.approvals).toHaveLength(1)
    expect((await as('ann', 'GET', `/api/memory/search?q=${marker}`)).text).toContain(ann.memory)
  })
})

it('A26: the metadata that an app fixes wins over that of the request', async () => {
  await using own = await startPlatform('in process', {
    auth: () => ({ scopes: ['run', 'read'], userId: 'u', allow: ['metadata'], metadata: { plan: 'free' } }),
  })
  await own.runtime.agents.create({ id: 'echo', model: 'test/echo' })
  const body = { agent_id: 'echo', task: 'x', metadata: { plan: 'paid', page: 'home' } }
  const { run_id: id } = (await own.send('POST', '/api/agents/run', { body })).body
  expect((await own.send('GET', `/api/runs/${id as string}`)).body.run.metadata).toEqual({
    plan: 'free',
    page: 'home',
  })
})

it('A26: the files that a run wrote for one user are not found for another', async () => {
  const call = (name: string, args: object): ScriptedResponse => ({ toolCalls: [{ name, args }] })
  const write = call('write_file', { path: 'pin.txt', content: marker })
  const read = call('read_file', { path: 'pin.txt' })
  const done = { text: 'Done.' }
  const model = createScriptedModel([write, done, read, done, read, done, read, done, read, done])
  await using own = await startPlatform('in process', { models: { mine: () => model } })
  const body = { id: 'a', model: 'mine/x', tools: ['write_file', 'read_file'] }
  await own.send('POST', '/api/agents', { body })
  const stepOf = async (user_id?: string) => {
    const answer = await own.send('POST', '/api/agents/run', { body: { agent_id: 'a', task: 'x', user_id } })
    return JSON.stringify(answer.body.steps)
  }
  await stepOf('telegram:1')
  expect(await stepOf('telegram:1')).toContain(marker)
  expect(await stepOf('telegram:2')).not.toContain(marker)
  expect(await stepOf()).not.toContain(marker)
  await own.send('PUT', '/api/agents/a', { body: { workspace: 'agent' } })
  expect(await stepOf('telegram:1')).not.toContain(marker)
})
