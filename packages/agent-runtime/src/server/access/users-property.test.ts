import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { array, assert, asyncProperty, constant, constantFrom, nat, oneof, record } from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { toolOf } from '../../runs/testing/run-kit.ts'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import { startPlatform, type TestPlatform } from '../testing/start-platform.ts'

const users = ['ann', 'bob', 'telegram:42'] as const
type User = (typeof users)[number]
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
] as const
type Action = (typeof actions)[number] | 'restart'

/** Answers with the last text that it got; calls the tool that the task names. */
const model: ScriptedResponse = ({ prompt }) => {
  const last = prompt.at(-1)
  const text = JSON.stringify(last?.content)
  if (last?.role === 'tool') return { text: `Result: ${text}` }
  const call = (name: string, args: object) => ({ toolCalls: [{ name, args }] })
  if (text.includes('pay')) return call('pay', { note: text })
  if (text.includes('write file')) return call('write_file', { path: 'note.txt', content: text })
  if (text.includes('read file')) return call('read_file', { path: 'note.txt' })
  // all that the model has read: what it knows of others, it would tell
  return { text: `Read: ${JSON.stringify(prompt)}` }
}

const start = (home: string) =>
  startPlatform('in process', {
    home,
    models: { mine: () => createScriptedModel(Array.from({ length: 500 }, () => model)) },
    tools: [toolOf('pay', () => 'paid', { effects: 'external' })],
    retry: { attempts: 0 },
    auth: (request) => {
      const userId = request.header('x-user')
      return userId === undefined ? true : { scopes: ['read', 'run', 'approve'], userId }
    },
  })

/** What a user sees of an action, and of everything that it may list. */
async function act(platform: TestPlatform, user: User, action: Action, place: number): Promise<string> {
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
    case 'delete':
      return send('DELETE', `/api/conversations/${conversation_id}`)
    case 'look': {
      const paths = ['runs', 'tasks', 'conversations', `conversations/${conversation_id}`, 'waits', 'agents']
      const memory = send('GET', '/api/memory/search?q=MARK+remember&agent_id=a')
      const remembered = send('GET', '/api/agents/a/remembered-approvals')
      const usage = send('GET', '/api/usage?group=user')
      const all = await Promise.all([
        ...paths.map((path) => send('GET', `/api/${path}`)),
        memory,
        remembered,
        usage,
      ])
      return all.join('\n')
    }
    case 'write file':
    case 'read file':
    case 'restart':
    default:
      return run(text)
  }
}

it('A26: in whatever order users work, none reads the words of another', { timeout: 120_000 }, async () => {
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
      let platform = await start(home)
      try {
        await platform.runtime.agents.create({ id: 'a', model: 'mine/x', approval_tools: ['pay'] })
        for (const { user, action, place } of steps) {
          if (action === 'restart') {
            await platform[Symbol.asyncDispose]()
            platform = await start(home)
            continue
          }
          const text = await act(platform, user, action, place)
          if (text.includes(markers[user])) seen += 1
          for (const other of users)
            if (other !== user) expect(text, `${user}: ${action}`).not.toContain(markers[other])
        }
      } finally {
        await platform[Symbol.asyncDispose]()
      }
    }),
    { numRuns: 15 },
  )
  // each sees what is its own, so the markers do come back
  expect(seen).toBeGreaterThan(30)
})
