import { expect, it } from 'vitest'
import { toolOf } from '../../runs/testing/run-kit.ts'
import { createScriptedModel } from '../../testing/scripted-model.ts'
import {
  startPlatform,
  startWithScripts,
  type SendOptions,
  type TestPlatform,
} from '../testing/start-platform.ts'

const apiToken = 'correct-horse-battery-staple'
const admin = { authorization: `Bearer ${apiToken}` }

/** Agents `mine` and `theirs`, a run and a task of each, and a caller for `mine` with all scopes but `admin`. */
async function start(): Promise<
  TestPlatform & { as(method: string, path: string, body?: object): ReturnType<TestPlatform['send']> }
> {
  const platform = await startWithScripts(
    'in process',
    {},
    { auth: { kind: 'settings' }, environment: { API_TOKEN: apiToken } },
  )
  const post = async (path: string, body: object) => platform.send('POST', path, { body, headers: admin })
  for (const id of ['mine', 'theirs']) {
    await post('/api/agents', { id, model: 'test/echo' })
    await post('/api/agents/run', { agent_id: id, task: id, conversation_id: `c-${id}` })
    await post('/api/graphs', { id: `g-${id}`, nodes: [{ id: 'n', agent: id }] })
    await post('/api/memory/write', { agent_id: id, text: `pear of ${id}` })
  }
  await post('/api/graphs', { id: 'outer', nodes: [{ id: 'n', graph: 'g-theirs' }] })
  const created = await post('/api/tokens', {
    name: 'ci',
    scopes: ['read', 'run', 'approve'],
    agents: ['mine'],
  })
  const headers = { authorization: `Bearer ${created.body.secret as string}` }
  const as = (method: string, path: string, body?: object) => {
    const options: SendOptions = { headers, ...(body && { body }) }
    return platform.send(method, path, options)
  }
  return Object.assign(platform, { as })
}

it('A26: a token for some agents starts nothing of others, by whatever way', async () => {
  await using platform = await start()
  const { as } = platform
  const messages = [{ role: 'user', content: 'hi' }]
  const ways = (agent: string): [string, object][] => [
    ['/api/agents/run', { agent_id: agent, task: 'x' }],
    ['/api/agents/run/stream', { agent_id: agent, task: 'x' }],
    ['/api/tasks', { agent_id: agent, task: 'x' }],
    ['/api/tasks', { graph_id: `g-${agent}`, task: 'x' }],
    ['/api/graphs/run', { graph_id: `g-${agent}`, input: 'x' }],
    ['/api/conversations', { agent_id: agent, role: 'user', content: 'x' }],
    ['/api/memory/write', { agent_id: agent, text: 'x' }],
    ['/api/memory/search', { agent_id: agent, q: 'pear' }],
    ['/v1/chat/completions', { model: agent, messages }],
    ['/v1/responses', { model: agent, input: 'hi' }],
  ]
  for (const [path, body] of ways('mine'))
    expect([path, (await as('POST', path, body)).status < 300]).toEqual([path, true])
  for (const [path, body] of [
    ...ways('theirs'),
    ['/api/graphs/run', { graph_id: 'outer', input: 'x' }] as const,
  ]) {
    const { status, text } = await as('POST', path, body)
    expect([path, status], text).toEqual([path, 403])
  }
  const { body } = await as('POST', '/v1/chat/completions', { model: 'theirs', messages })
  expect(body.error.code).toBe('forbidden')
})

it('A26: a token for some agents does not run a graph as it was, with agents of others', async () => {
  await using platform = await start()
  const asAdmin = (method: string, path: string, body: object) =>
    platform.send(method, path, { body, headers: admin })
  const rerun = (id: string, body: object) => platform.as('POST', `/api/runs/${id}/rerun`, body)
  await asAdmin('PUT', '/api/agents/mine', { model: 'openai/without-a-key' })
  await asAdmin('POST', '/api/graphs', {
    id: 'changed',
    nodes: [
      { id: 'a', agent: 'mine' },
      { id: 'b', agent: 'theirs' },
    ],
  })
  const { run_id: first } = (await asAdmin('POST', '/api/graphs/run', { graph_id: 'changed', input: 'x' }))
    .body
  const nodes = [{ id: 'a', agent: 'mine' }]
  const { updated_at: changedAt } = (await asAdmin('PUT', '/api/graphs/changed', { nodes })).body.graph
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(changedAt))

  const { id: second } = (await asAdmin('POST', `/api/runs/${first}/rerun`, { from: 'failed' })).body.run
  await platform.send('GET', `/api/runs/${second}/events`, { headers: admin })
  expect((await rerun(first, { from: 'failed' })).status).toBe(403)
  expect((await rerun(second, { from: 'failed' })).status).toBe(403)
  expect((await rerun(first, {})).status).toBe(202)

  const { run_id: unchanged } = (
    await platform.as('POST', '/api/graphs/run', { graph_id: 'changed', input: 'x' })
  ).body
  expect((await rerun(unchanged, { from: 'failed' })).status).toBe(202)
})

it('A26: a token for some agents sees runs, conversations and graphs of these agents only', async () => {
  await using platform = await start()
  const { as, send } = platform
  const all = (await send('GET', '/api/runs', { headers: admin })).body.runs as {
    id: string
    agent_id: string
  }[]
  const reply = (await as('GET', '/api/runs?count=source')).body
  expect(reply).not.toHaveProperty('counts')
  const runs = reply.runs as { agent_id: string }[]
  expect([all.length, runs.map((run) => run.agent_id)]).toEqual([2, ['mine']])
  const theirs = all.find((run) => run.agent_id === 'theirs')?.id ?? ''
  for (const [method, path] of [
    ['GET', `/api/runs/${theirs}`],
    ['GET', `/api/runs/${theirs}/events`],
    ['POST', `/api/runs/${theirs}/cancel`],
    ['GET', '/api/conversations/c-theirs'],
    ['GET', '/api/conversations?conversation_id=c-theirs'],
    ['DELETE', '/api/conversations/c-theirs'],
    ['GET', '/api/agents/theirs'],
    ['GET', '/api/graphs/outer'],
    ['GET', '/api/memory/search?q=pear'],
    ['GET', '/api/memory'],
    ['GET', '/v1/models/theirs'],
    ['GET', '/api/logs'],
  ] as const) {
    expect([path, (await as(method, path)).status]).toEqual([path, 403])
  }
  expect((await as('POST', `/api/runs/${theirs}/approvals/x`, { decision: 'approve' })).status).toBe(403)
  const list = async (path: string) => (await as('GET', path)).text
  for (const path of [
    '/api/agents',
    '/api/graphs',
    '/api/conversations',
    '/v1/models',
    '/api/tasks',
    '/api/schedules',
  ])
    expect(await list(path)).not.toContain('theirs')
  expect((await as('GET', '/api/conversations/c-mine')).status).toBe(200)
  expect((await send('GET', '/api/conversations/c-theirs', { headers: admin })).status).toBe(200)
})

it("A26: a caller for one user lists and revokes that user's remembered decisions only", async () => {
  const step = { toolCalls: [{ name: 'pay', args: { iban: 'DE1' } }] }
  const model = createScriptedModel([step, { text: 'Done.' }])
  await using platform = await startPlatform('in process', {
    models: { mine: () => model },
    tools: [toolOf('pay', () => 'paid', { effects: 'external' })],
    auth: (request) => {
      const userId = request.header('x-user')
      return userId === undefined ? true : { scopes: ['run', 'read', 'approve'], userId }
    },
  })
  const buyer = { id: 'buyer', model: 'mine/any', approval_tools: ['pay'] }
  await platform.send('POST', '/api/agents', { body: buyer })
  const as = (user: string, method: string, path: string, body?: object) =>
    platform.send(method, path, { headers: { 'x-user': user }, ...(body && { body }) })
  const { body } = await as('ann', 'POST', '/api/agents/run', { agent_id: 'buyer', task: 'Pay' })
  const path = `/api/runs/${body.run_id}/approvals/${body.approvals[0].id}`
  await as('ann', 'POST', path, { decision: 'approve', remember: 'agent' })
  const list = '/api/agents/buyer/remembered-approvals'
  const [remembered] = (await as('ann', 'GET', list)).body.approvals
  expect(remembered).toMatchObject({ user_id: 'ann', args: { iban: 'DE1' } })
  expect((await as('bob', 'GET', list)).body).toEqual({ approvals: [] })
  expect((await as('bob', 'GET', `${list}?user_id=ann`)).status).toBe(403)
  expect((await as('bob', 'DELETE', `${list}/${remembered.id}`)).status).toBe(404)
  expect((await as('ann', 'DELETE', `${list}/${remembered.id}`)).status).toBe(200)
})

it('A26: a caller of the app has the scopes that auth gives, and acts for its user only', async () => {
  await using platform = await startWithScripts(
    'in process',
    {},
    {
      auth: (request) => {
        const userId = request.header('x-user')
        return userId === undefined ? true : { scopes: ['run', 'read'], userId }
      },
    },
  )
  const { send } = platform
  const ann = { headers: { 'x-user': 'ann' } }
  const run = (body: object, options: SendOptions = {}) =>
    send('POST', '/api/agents/run', { ...options, body: { agent_id: 'echo', task: 'hi', ...body } })
  expect((await run({ conversation_id: 'c-ann' }, ann)).status).toBe(200)
  expect((await run({ user_id: 'bob' }, ann)).status).toBe(403)
  await run({ user_id: 'bob', conversation_id: 'c-bob' })
  const shown = await send('GET', '/api/conversations/c-ann', ann)
  expect(shown.body.conversation.user_id).toBe('ann')
  expect((await send('GET', '/api/conversations/c-bob', ann)).status).toBe(404)
  const runs = (await send('GET', '/api/runs', ann)).body.runs as { user_id: string }[]
  expect(runs.map((each) => each.user_id)).toEqual(['ann'])
  expect((await send('DELETE', '/api/agents/echo', ann)).status).toBe(403)
  const { entries } = (await send('GET', '/api/audit')).body as {
    entries: { actor: string; action: string }[]
  }
  expect(entries[0]).toMatchObject({ actor: 'user:ann', action: 'agent.deleted', outcome: 'refused' })
})

it.each(['/api/runs', '/api/tasks', '/api/conversations'])(
  'A26: the cursor of %s leads a limited caller through its own rows, and tells nothing of others',
  async (path) => {
    await using platform = await start()
    const all = (await platform.send('GET', '/api/runs', { headers: admin })).body.runs as { id: string }[]
    for (const agent_id of ['mine', 'theirs', 'mine'])
      await platform.send('POST', '/api/tasks', { body: { agent_id, task: 'x' }, headers: admin })
    const name = path.split('/').at(-1)!
    const seen: string[] = []
    let cursor: string | undefined
    let plain = ''
    for (let page = 0; page === 0 || cursor !== undefined; page += 1) {
      const query = `?limit=1${cursor === undefined ? '' : `&cursor=${cursor}`}`
      const { body, status } = await platform.as('GET', path + query)
      expect(status).toBe(200)
      seen.push(...(body[name] as { agent_id: string }[]).map((row) => row.agent_id))
      cursor = body.next_cursor
      plain = (await platform.send('GET', `${path}?limit=1`, { headers: admin })).body.next_cursor
      const texts = [cursor ?? '', ...(cursor ?? '').split('.').map(fromBase64Url)]
      for (const { id } of all) expect(texts.some((text) => text.includes(id))).toBe(false)
    }
    expect(new Set(seen)).toEqual(new Set(['mine']))
    // a cursor that the caller invented, or got from others, opens nothing
    expect((await platform.as('GET', `${path}?cursor=${plain}`)).status).toBe(400)
  },
)

it('A26: processes with one secret continue the lists of each other', async () => {
  await using first = await start()
  const { tokens } = first.runtime
  const { secret } = await tokens.create({ name: 'two', scopes: ['read'], agents: ['mine', 'theirs'] })
  const headers = { authorization: `Bearer ${secret}` }
  const serve = (cursorSecret?: string) =>
    startPlatform('in process', {
      runtime: first.runtime,
      auth: { kind: 'settings' },
      ...(cursorSecret !== undefined && { handler: { cursorSecret } }),
    })
  const [one, two, other] = await Promise.all([serve('s'.repeat(16)), serve('s'.repeat(16)), serve()])
  const { next_cursor: cursor } = (await one.send('GET', '/api/runs?limit=1', { headers })).body
  const rest = (platform: TestPlatform) => platform.send('GET', `/api/runs?cursor=${cursor}`, { headers })
  expect((await rest(two)).body.runs).toHaveLength(1)
  expect((await rest(other)).status).toBe(400)
})

const fromBase64Url = (part: string) => atob(part.replaceAll('-', '+').replaceAll('_', '/'))
