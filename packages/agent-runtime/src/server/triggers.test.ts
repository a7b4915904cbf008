import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { createSqliteStore } from '../store/sqlite/create-sqlite-store.ts'
import { startPlatform, startWithScripts, type TestPlatform } from './testing/start-platform.ts'

const secret = 'a secret that we share'.replaceAll(' ', '-')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text)

interface Sent {
  readonly key?: string
  readonly id?: string
  readonly at?: number
  readonly type?: string
}

/** The same call as each kind of sender makes it. */
const senders = {
  standard(body: string, { key = secret, id = 'd1', at = Date.now() / 1000 }: Sent = {}) {
    const signature = new Webhook(key, { format: 'raw' }).sign(id, new Date(at * 1000), body)
    const time = String(Math.floor(at))
    return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1a,x ${signature}` }
  },
  github: (body: string, { key = secret, id = 'd1' }: Sent = {}) => ({
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${hmac(key, body).digest('hex')}`,
  }),
  stripe(body: string, { key = secret, at = Date.now() / 1000 }: Sent = {}) {
    const time = String(Math.floor(at))
    return { 'stripe-signature': `t=${time},v1=00,v1=${hmac(key, `${time}.${body}`).digest('hex')}` }
  },
  token: (_: string, { key = secret, id = 'd1' }: Sent = {}) => ({
    authorization: `Bearer ${key}`,
    'idempotency-key': id,
  }),
}
type Kind = keyof typeof senders

async function start(kind: Kind, fields: object = {}) {
  const platform = await startWithScripts('in process', {}, { workers: { concurrency: 0 } })
  const body = { name: 'Hook', agent_id: 'echo', verify: kind, secret, ...fields }
  const created = await platform.send('POST', '/api/triggers', { body })
  expect(created.status).toBe(201)
  const { id } = created.body.trigger
  const call = (payload: unknown, { type = 'application/json', ...sent }: Sent = {}) => {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
    const headers = { 'content-type': type, ...senders[kind](text, sent) }
    return platform.send('POST', `/api/hooks/${id}`, { body: text, headers })
  }
  const deliveries = async () =>
    (await platform.send('GET', `/api/triggers/${id}/deliveries`)).body.deliveries
  const taskOf = async (taskId: string) => (await platform.send('GET', `/api/tasks/${taskId}`)).body.task
  const dispose = () => platform[Symbol.asyncDispose]()
  return { platform, id, call, deliveries, taskOf, [Symbol.asyncDispose]: dispose }
}

it.each(Object.keys(senders) as Kind[])(
  'starts one task for a call with a valid signature of %s',
  async (kind) => {
    await using hook = await start(kind)
    const body = { id: 'd1', text: 'Hello' }
    const first = await hook.call(body)
    expect([first.status, first.body]).toEqual([
      202,
      { ok: true, outcome: 'started', task_id: expect.any(String) },
    ])
    const { task_id } = first.body
    const again = await hook.call(body)
    expect([again.status, again.body]).toEqual([202, { ok: true, outcome: 'duplicate', task_id }])
    expect(await hook.taskOf(task_id)).toMatchObject({ input: JSON.stringify(body), trigger_id: hook.id })

    const wrong = await hook.call(body, { key: 'another secret, of another' })
    expect([wrong.status, wrong.body.code]).toEqual([401, 'unauthorized'])
    if (kind === 'standard' || kind === 'stripe')
      expect((await hook.call(body, { at: Date.now() / 1000 - 301 })).status).toBe(401)
    const bare = await hook.platform.send('POST', `/api/hooks/${hook.id}`, { body })
    expect(bare.status).toBe(401)
    expect(await hook.deliveries()).toEqual([
      { id: expect.any(String), at: expect.any(String), outcome: 'duplicate', task_id },
      { id: expect.any(String), at: expect.any(String), outcome: 'started', task_id },
    ])
  },
)

it('shows a secret once, and stores of a token only the hash', async () => {
  await using hook = await start('token')
  const shown = await hook.platform.send('GET', '/api/triggers')
  expect(shown.text).not.toContain(secret)
  const { trigger } = (await hook.platform.send('GET', `/api/triggers/${hook.id}`)).body
  expect(shown.body).toEqual({ triggers: [trigger] })
  expect(trigger).toEqual({
    id: hook.id,
    name: 'Hook',
    agent_id: 'echo',
    verify: 'token',
    url: `http://127.0.0.1:3010/api/hooks/${hook.id}`,
    per_minute: 60,
    enabled: true,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  await hook.platform.send('PUT', '/api/settings', { body: { public_url: 'https://home.example/' } })
  const { body } = await hook.platform.send('GET', `/api/triggers/${hook.id}`)
  expect(body.trigger.url).toBe(`https://home.example/api/hooks/${hook.id}`)
  const made = await hook.platform.send('POST', '/api/triggers', {
    body: { name: 'x', agent_id: 'echo', verify: 'standard' },
  })
  expect(made.body.secret).toMatch(/^whsec_/)
})

it('accepts the old secret for a day after it was replaced', async () => {
  let nowMs = Date.now()
  await using platform = await startPlatform('in process', { now: () => nowMs, workers: { concurrency: 0 } })
  await platform.send('POST', '/api/agents', { body: { id: 'echo', model: 'test/echo' } })
  const body = { name: 'x', agent_id: 'echo', verify: 'github', secret }
  const { id } = (await platform.send('POST', '/api/triggers', { body })).body.trigger
  const call = async (key: string) =>
    (
      await platform.send('POST', `/api/hooks/${id}`, {
        body: '{}',
        headers: senders.github('{}', { key, id: '' }),
      })
    ).status
  const replace = (key: string) => platform.send('PUT', `/api/triggers/${id}`, { body: { secret: key } })
  await replace('the second secret')
  nowMs += 12 * 3600_000
  await replace('the third secret...')
  expect([await call(secret), await call('the second secret'), await call('the third secret...')]).toEqual([
    202, 202, 202,
  ])
  nowMs += 12 * 3600_000 + 1
  expect([await call(secret), await call('the second secret'), await call('the third secret...')]).toEqual([
    401, 202, 202,
  ])
  const verify = await platform.send('PUT', `/api/triggers/${id}`, { body: { verify: 'token' } })
  expect(verify.body.message).toContain('Send "secret" too')
  await platform.send('PUT', `/api/triggers/${id}`, {
    body: { verify: 'stripe', secret: 'the second secret' },
  })
  expect(await call('the third secret...')).toBe(401)
})

it('fills templates with values of the body, and leaves what they bring in alone', async () => {
  await using hook = await start('token', {
    input:
      'Issue {{body.issue.title}} of {{ body.labels.0 }} {{body.n}} {{body.missing}}{{body.__proto__.x}}: {{other}}',
    conversation: 'repo {{body.repo}}',
  })
  const body = '{"issue":{"title":"{{body.n}}"},"labels":["bug"],"n":9007199254740993,"repo":"a/b"}'
  const { task_id } = (await hook.call(body)).body
  expect(await hook.taskOf(task_id)).toMatchObject({
    input: 'Issue {{body.n}} of bug 9007199254740993 : {{other}}',
    conversation_id: 'repo a/b',
  })
  await hook.platform.send('PUT', `/api/triggers/${hook.id}`, { body: { input: null, conversation: '' } })
  const whole = await hook.taskOf((await hook.call(body, { id: 'd2' })).body.task_id)
  expect([whole.input, whole.conversation_id]).toEqual([body, undefined])
})

it('reads the payload of a form, and any other form, and refuses what is neither', async () => {
  await using hook = await start('github')
  const type = 'application/x-www-form-urlencoded'
  const payload = await hook.call(`payload=${encodeURIComponent('{"a": 1}')}`, { type, id: '1' })
  expect((await hook.taskOf(payload.body.task_id)).input).toBe('{"a": 1}')
  const form = await hook.call('a=1&b=x+y', { type, id: '2' })
  expect((await hook.taskOf(form.body.task_id)).input).toBe('{"a":"1","b":"x y"}')
  const neither = await hook.call('<xml/>', { id: '3' })
  expect([neither.status, neither.body.code]).toEqual([400, 'validation_error'])
  expect((await hook.call(`"${'x'.repeat(1024 * 1024)}"`, { id: '4' })).status).toBe(413)
  expect(await hook.deliveries()).toHaveLength(2)
})

it('ignores what the filter does not match, and refuses what has no target', async () => {
  await using hook = await start('token', {
    filter: { properties: { action: { const: 'opened' } }, required: ['action'] },
  })
  expect((await hook.call({ action: 'closed' })).body).toEqual({ ok: true, outcome: 'ignored' })
  expect((await hook.call({ action: 'closed' })).body).toEqual({ ok: true, outcome: 'duplicate' })
  expect((await hook.call({ action: 'opened' }, { id: 'd2' })).body.outcome).toBe('started')
  await hook.platform.send('DELETE', '/api/agents/echo')
  expect((await hook.call({ action: 'opened' }, { id: 'd3' })).body).toEqual({ ok: true, outcome: 'refused' })
  const outcomes = (await hook.deliveries()).map(({ outcome, reason }: Record<string, string>) => [
    outcome,
    reason,
  ])
  expect(outcomes).toEqual([
    ['refused', 'The agent does not exist.'],
    ['started', undefined],
    ['duplicate', undefined],
    ['ignored', 'The filter does not match.'],
  ])
})

it('refuses more valid calls per minute than allowed, and wrong ones by address', async () => {
  await using hook = await start('token', { per_minute: 2 })
  const statuses = []
  for (let tries = 0; tries < 61; tries += 1)
    statuses.push((await hook.call('{}', { key: 'wrong'.repeat(9) })).status)
  expect(new Set(statuses.slice(0, 60))).toEqual(new Set([401]))
  expect(statuses.at(-1)).toBe(429)
  for (const id of ['1', '2', '3']) statuses.push((await hook.call('{}', { id })).status)
  expect(statuses.slice(-3)).toEqual([202, 202, 429])
  expect(await hook.deliveries()).toHaveLength(2)
})

it('does not tell a disabled or deleted trigger from an unknown one', async () => {
  await using hook = await start('token')
  const answers = [await hook.platform.send('POST', '/api/hooks/none', { body: {} })]
  await hook.platform.send('PUT', `/api/triggers/${hook.id}`, { body: { enabled: false } })
  answers.push(await hook.call({}))
  await hook.platform.send('DELETE', `/api/triggers/${hook.id}`)
  answers.push(await hook.call({}))
  const plain = answers.map(({ status, body }) => [status, { ...body, request_id: '' }])
  expect(plain).toEqual([plain[0], plain[0], plain[0]])
  expect(plain[0]?.[0]).toBe(404)
})

it.each([
  ['a short secret', { secret: 'short' }, 400],
  ['two targets', { graph_id: 'g' }, 400],
  ['an invalid schema', { filter: { type: 'objekt' } }, 400],
  ['a conversation of an event', { agent_id: undefined, event: 'paid', conversation: 'c' }, 400],
  ['an unknown agent', { agent_id: 'gone' }, 404],
])('refuses %s', async (_, fields, status) => {
  await using platform: TestPlatform = await startWithScripts('in process')
  const body = { name: 'x', agent_id: 'echo', verify: 'token', ...fields }
  expect((await platform.send('POST', '/api/triggers', { body })).status).toBe(status)
  expect((await platform.send('GET', '/api/triggers')).body).toEqual({ triggers: [] })
})

it('sends a signal, once for each delivery, to the runs that wait for it', async () => {
  await using hook = await start('github', {
    agent_id: undefined,
    event: 'paid',
    filter: { required: ['amount'] },
  })
  const { send } = hook.platform
  const match = { properties: { amount: { minimum: 10 } } }
  const graph = { id: 'g', nodes: [{ id: 'paid', wait: { event: 'paid', match } }] }
  await send('POST', '/api/graphs', { body: graph })
  const begin = async () =>
    (await send('POST', '/api/graphs/run', { body: { graph_id: 'g', input: 'x' } })).body.run_id
  const runOf = async (id: string) => (await send('GET', `/api/runs/${id}`)).body.run
  const id = await begin()
  expect((await hook.call({ amount: 5 }, { id: 'd1' })).body).toEqual({ ok: true, outcome: 'signalled' })
  expect((await hook.call({ other: 1 }, { id: 'd2' })).body.outcome).toBe('ignored')
  expect((await runOf(id)).status).toBe('waiting')
  const first = await hook.call({ amount: 30 }, { id: 'd3' })
  expect([first.status, first.body]).toEqual([202, { ok: true, outcome: 'signalled' }])
  const [delivery] = await hook.deliveries()
  expect(delivery).toEqual({ id: expect.any(String), at: expect.any(String), outcome: 'signalled' })
  await expect
    .poll(() => runOf(id))
    .toMatchObject({
      status: 'completed',
      waits: [{ data: { amount: 30 }, answered_by: `signal:${delivery.id}` }],
    })
  const later = await begin()
  const again = await hook.call({ amount: 30 }, { id: 'd3' })
  expect([again.status, again.body]).toEqual([202, { ok: true, outcome: 'duplicate' }])
  expect((await runOf(later)).status).toBe('waiting')
  expect((await send('GET', '/api/tasks')).body.tasks).toEqual([])
})

it.each([
  ['a value as it is', '{{body.list.1}}', { n: 7 }],
  ['a missing value as null', '{{ body.gone }}', null],
  ['a text', 'Order {{body.n}} {{body.text}}', 'Order 7 "}, {"'],
  [
    'JSON, whatever the values are',
    '{"order": "{{body.n}}", "note": "Says {{body.text}}", "both": ["{{body.text}}", true]}',
    { order: 7, note: 'Says "}, {"', both: ['"}, {"', true] },
  ],
])('makes the data of a signal from a template: %s', async (_, input, data) => {
  await using hook = await start('token', { agent_id: undefined, event: 'paid', input })
  const { send } = hook.platform
  await send('POST', '/api/graphs', { body: { id: 'g', nodes: [{ id: 'paid', wait: { event: 'paid' } }] } })
  const { body } = await send('POST', '/api/graphs/run', { body: { graph_id: 'g', input: 'x' } })
  await hook.call({ n: 7, text: '"}, {"', list: [1, { n: 7 }] })
  const { run } = (await send('GET', `/api/runs/${body.run_id}`)).body
  expect(run.waits).toMatchObject([{ status: 'answered', data }])
})

it.each(['agent', 'graph'])('runs the %s as work whose input may come from a stranger', async (kind) => {
  const store = createSqliteStore({ path: ':memory:' })
  await using platform = await startWithScripts('over HTTP', { worker: [{ text: 'Done' }] }, { store })
  const graph = { id: 'g', nodes: [{ id: 'n', agent: 'worker', input: '{{input}}' }] }
  await platform.send('POST', '/api/graphs', { body: graph })
  const target = kind === 'agent' ? { agent_id: 'worker' } : { graph_id: 'g' }
  const body = { name: 'x', verify: 'token', secret, ...target }
  const { trigger } = (await platform.send('POST', '/api/triggers', { body })).body
  const headers = { authorization: `Bearer ${secret}` }
  const called = await platform.send('POST', `/api/hooks/${trigger.id}`, { body: { a: 1 }, headers })
  const taskOf = async () => (await platform.send('GET', `/api/tasks/${called.body.task_id}`)).body.task
  await expect.poll(taskOf).toMatchObject({ status: 'completed' })
  const { run } = (await platform.send('GET', `/api/runs/${(await taskOf()).run_id}`)).body
  expect([run.source, run.task]).toEqual(['trigger', '{"a":1}'])
  const { rows } = await store.listRuns({}, { limit: 9 })
  expect(rows.map(({ tainted }) => tainted)).toEqual(kind === 'agent' ? [true] : [true, true])
})
