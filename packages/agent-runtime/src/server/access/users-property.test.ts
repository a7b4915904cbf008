import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { array, assert, asyncProperty, constant, constantFrom, nat, oneof, record } from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { startProtectedServer } from '../../tools/mcp/testing/protected-server.ts'
import { toolOf } from '../../runs/testing/run-kit.ts'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import { startPlatform, type TestPlatform } from '../testing/start-platform.ts'

const users = ['ann', 'bob', 'telegram:42'] as const
type User = (typeof users)[number]
const seed = process.env['PROPERTY_SEED']
/** Stands in everything that a user sends. */
const markers: Readonly<Record<User, string>> = {
  ann: 'MARK-ANN',
  bob: 'MARK-BOB',
  'telegram:42': 'MARK-CHAT',
}
const actions = [
  'run',
  'ask',
  'task',
  'append',
  'remember',
  'write file',
  'read file',
  'approve',
  'look',
  'delete',
  'chat',
  'question',
  'client tool',
  'log in',
  'spend',
  'answer',
  'answer',
  'answer',
  'trigger',
] as const
type Action = (typeof actions)[number] | 'restart'

/** Stands in what another program sends: its runs belong to no user. */
const outside = 'MARK-OUTSIDE'
const hookSecret = 'secret-of-the-trigger-1234'

/** Answers with the last text that it got; calls the tool that the task names. */
const model: ScriptedResponse = ({ prompt }) => {
  const last = prompt.at(-1)
  const text = JSON.stringify(last?.content)
  if (last?.role === 'tool') return { text: `Result: ${text}` }
  const call = (name: string, args: object) => ({ toolCalls: [{ name, args }] })
  if (text.includes('question')) return call('ask_user', { message: text })
  if (text.includes('client tool')) return call('pick', { of: text })
  if (text.includes('log in')) return call('shop.account', {})
  if (text.includes('pay')) return call('pay', { note: text })
  if (text.includes('write file')) return call('write_file', { path: 'note.txt', content: text })
  if (text.includes('read file')) return call('read_file', { path: 'note.txt' })
  // all that the model has read: what it knows of others, it would tell
  return { text: `Read: ${JSON.stringify(prompt)}` }
}

type Shop = Awaited<ReturnType<typeof startProtectedServer>>

const start = (home: string, shop: Shop) =>
  startPlatform('in process', {
    home,
    platformOrigins: () => ['http://127.0.0.1:3010'],
    mcpServers: {
      shop: {
        url: shop.url,
        login: 'user',
        oauth: { grant_type: 'authorization_code', client_id: 'person' },
      },
    },
    models: { mine: () => createScriptedModel(Array.from({ length: 500 }, () => model)) },
    tools: [toolOf('pay', () => 'paid', { effects: 'external' })],
    retry: { attempts: 0 },
    auth: (request) => {
      const userId = request.header('x-user')
      return userId === undefined ? true : { scopes: ['read', 'run', 'approve'], userId }
    },
  })

interface OpenWait {
  readonly id: string
  readonly run_id: string
  readonly kind: string
  readonly url?: string
}

/** Kinds of waits that have answers. */
const answered = new Set<string>()

/** What answers a wait: a login by the person in a browser, the others by what the user sends. */
async function answerOf(
  { kind, url = '' }: OpenWait,
  user: User,
  { shop, platform }: { readonly shop: Shop; readonly platform: TestPlatform },
): Promise<object | undefined> {
  answered.add(kind)
  if (kind === 'budget') return { data: { continue: true } }
  if (kind === 'approval') return { data: { decision: 'approve' } }
  if (kind !== 'login') return { data: `${markers[user]} answer` }
  // the account is as much the user's as the words are
  const { pathname, search } = await shop.visit(url, markers[user])
  expect((await platform.send('GET', pathname + search)).status).toBe(200)
  return undefined
}

/** What a user sees of an action, and of everything that it may list. */
async function act(
  { platform, shop }: { readonly platform: TestPlatform; readonly shop: Shop },
  user: User,
  action: Action,
  place: number,
): Promise<string> {
  const send = async (method: string, path: string, body?: object) =>
    (await platform.send(method, path, { headers: { 'x-user': user }, ...(body && { body }) })).text
  const conversation_id = `c${place}`
  const text = `${markers[user]} ${action}`
  const run = (task: string, more: object = {}) =>
    send('POST', '/api/agents/run', { agent_id: 'a', task, conversation_id, ...more })
  const files = [{ name: 'a.txt', media_type: 'text/plain', data: btoa(markers[user]) }]
  switch (action) {
    case 'run':
      return run(text, { files, idempotency_key: `k${place}` })
    case 'ask':
      return run(`${text} pay`)
    case 'task':
      return send('POST', '/api/tasks', { agent_id: 'a', task: text, conversation_id })
    case 'append':
      return send('POST', '/api/conversations', { agent_id: 'a', content: text, conversation_id })
    case 'remember':
      return send('POST', '/api/memory/write', { agent_id: 'a', text })
    case 'approve': {
      const waits = JSON.parse(await send('GET', '/api/waits')).waits as { id: string; run_id: string }[]
      const [wait] = waits
      if (!wait) return ''
      const decision = { decision: 'approve', remember: place === 0 ? 'agent' : 'conversation' }
      return send('POST', `/api/runs/${wait.run_id}/approvals/${wait.id}`, decision)
    }
    case 'chat': {
      const parts = [{ type: 'text', text }]
      const messages = [{ id: crypto.randomUUID(), role: 'user', parts }]
      return send('POST', '/api/chat/a', { id: conversation_id, messages })
    }
    case 'client tool':
      return run(text, { client_tools: [{ name: 'pick' }] })
    case 'spend':
      return send('POST', '/api/agents/run', { agent_id: 'dear', task: text })
    case 'answer': {
      const waits = JSON.parse(await send('GET', '/api/waits')).waits as OpenWait[]
      const wait = waits.at(place === 0 ? 0 : -1)
      const body = wait && (await answerOf(wait, user, { shop, platform }))
      if (!wait || !body) return ''
      return send('POST', `/api/runs/${wait.run_id}/waits/${wait.id}`, body)
    }
    case 'trigger': {
      const { triggers } = (await platform.send('GET', '/api/triggers')).body
      const headers = { authorization: `Bearer ${hookSecret}` }
      const body = { text: outside, conversation: conversation_id }
      return (await platform.send('POST', `/api/hooks/${triggers[0].id}`, { body, headers })).text
    }
    case 'delete':
      return send('DELETE', `/api/conversations/${conversation_id}`)
    case 'look': {
      const paths = ['runs', 'tasks', 'conversations', `conversations/${conversation_id}`, 'waits', 'agents']
      const memory = send('GET', '/api/memory/search?q=MARK+remember&agent_id=a')
      const remembered = send('GET', '/api/agents/a/remembered-approvals')
      const usage = send('GET', '/api/usage?group=user')
      const more = [
        'waits?status=answered',
        'mcp/servers/shop/logins',
        `conversations/${conversation_id}?format=ui`,
      ]
      const all = await Promise.all([
        ...[...paths, ...more].map((path) => send('GET', `/api/${path}`)),
        memory,
        remembered,
        usage,
      ])
      return all.join('\n')
    }
    case 'write file':
    case 'read file':
    case 'question':
    case 'log in':
    case 'restart':
    default:
      return run(text)
  }
}

it('A26: in whatever order users work, none reads the words of another', { timeout: 240_000 }, async () => {
  await using shop = await startProtectedServer({ listsFreely: true })
  const step = record({
    user: constantFrom(...users),
    action: oneof(
      { weight: 12, arbitrary: constantFrom<Action>(...actions) },
      { weight: 1, arbitrary: constant<Action>('restart') },
    ),
    place: nat({ max: 1 }),
  })
  let seen = 0
  await assert(
    asyncProperty(array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const home = await mkdtemp(join(tmpdir(), 'homeward-users-'))
      onTestFinished(() => rm(home, { recursive: true, force: true }))
      let platform = await start(home, shop)
      try {
        const usual = { model: 'mine/x', approval_tools: ['pay'], mcp_servers: ['shop'], ask_user: true }
        await platform.runtime.agents.create({ id: 'a', ...usual })
        const user_budget = { max_tokens: 1_000_000, ask_at: 0 }
        await platform.runtime.agents.create({ id: 'dear', model: 'mine/x', user_budget })
        const hook = { name: 'Hook', agent_id: 'a', verify: 'token', secret: hookSecret }
        const body = { ...hook, conversation: '{{body.conversation}}' }
        expect((await platform.send('POST', '/api/triggers', { body })).status).toBe(201)
        for (const { user, action, place } of steps) {
          if (action === 'restart') {
            await platform[Symbol.asyncDispose]()
            platform = await start(home, shop)
            continue
          }
          const text = await act({ platform, shop }, user, action, place)
          if (text.includes(markers[user])) seen += 1
          const others = users.filter((other) => other !== user).map((other) => markers[other])
          for (const foreign of [...others, outside])
            expect(text, `${user}: ${action}`).not.toContain(foreign)
        }
      } finally {
        await platform[Symbol.asyncDispose]()
      }
    }),
    { numRuns: 15, ...(seed !== undefined && { seed: Number(seed) }) },
  )
  // each sees what is its own, so the markers do come back
  expect(seen).toBeGreaterThan(30)
  expect(answered.size).toBeGreaterThan(2)
})
