import type { ServerProcess } from '../server/server-process.ts'

/** Fills a server with what people and devices leave in it: something in as many tables as two minutes of work touch. */
export async function fillServer({ url, agentsUrl }: ServerProcess): Promise<void> {
  const { device, apiKey } = await post(url, '/api/devices', {
    name: 'Müller’s laptop',
    type: 'laptop',
    platform: 'linux',
    labels: ['office'],
    metadata: { folders: ['documents'] },
  })
  const heartbeat = { metadata: { version: '1' } }
  await post(url, '/api/devices/heartbeat', heartbeat, { authorization: `Bearer ${apiKey}` })
  const search = { deviceIds: [device.id], query: 'report', scope: ['files'] }
  const { searchQueries } = await post(url, '/api/devices/search/query', search)
  const report = {
    queryId: searchQueries[0].id,
    results: {
      files: [
        { name: 'report.txt', path: '/documents/report.txt', size: 7, modified: '2026-01-02T03:04:05.000Z' },
      ],
    },
  }
  await post(url, '/api/devices/search', report, { authorization: `Bearer ${apiKey}` })
  await post(url, '/api/devices/search/query', { ...search, query: 'not answered' })
  await post(url, '/api/devices/files/upload-requests', {
    deviceIds: [device.id],
    filePath: '/documents/report.txt',
  })
  await post(url, '/api/devices/enrollment-tokens', { label: 'Shop', approval: 'ask', maxDevices: 5 })
  await post(url, '/api/devices/saved-searches', {
    name: 'Reports',
    query: 'report',
    scope: ['files'],
    filter: { labels: ['office'] },
  })
  await post(url, '/api/tokens', { name: 'script', may: ['read'] })

  await post(agentsUrl, '/api/agents', { id: 'parrot', model: 'test/echo', name: 'Parrot' })
  const run = { agent_id: 'parrot', task: 'Say "ü"', conversation_id: 'c1', user_id: 'ann' }
  await post(agentsUrl, '/api/agents/run', run)
  await post(agentsUrl, '/api/agents/run', { agent_id: 'demo', task: 'time {}' })
  await post(agentsUrl, '/api/memory/write', { agent_id: 'parrot', text: 'Ann likes tea', tags: ['drinks'] })
  await post(agentsUrl, '/api/graphs', {
    id: 'pair',
    nodes: [
      { id: 'first', agent: 'parrot' },
      { id: 'second', agent: 'parrot' },
    ],
    edges: [{ from: 'first', to: 'second' }],
  })
  await post(agentsUrl, '/api/graphs/run', { graph_id: 'pair', input: 'again' })
  const { task } = await post(agentsUrl, '/api/tasks', { agent_id: 'parrot', task: 'Later' })
  await untilEnded(agentsUrl, task.id)
  await post(agentsUrl, '/api/schedules', {
    agent_id: 'parrot',
    cron: '0 0 1 1 *',
    input: 'Yearly',
    enabled: false,
  })
  await post(agentsUrl, '/api/tokens', { name: 'script', scopes: ['read'] })
}

/** What both APIs answer to reading requests, without what depends on the time of the request. */
export async function readAnswers({ url, agentsUrl }: ServerProcess): Promise<Record<string, unknown>> {
  const cloud = [
    '/api/devices',
    '/api/devices/search/query',
    '/api/devices/saved-searches',
    '/api/devices/files/upload-requests',
    '/api/devices/enrollment-tokens',
    '/api/tokens',
    '/api/audit',
  ]
  const agents = [
    '/api/agents/parrot',
    '/api/runs',
    '/api/conversations',
    '/api/conversations/c1',
    '/api/memory/search?agent_id=parrot&q=tea',
    '/api/graphs',
    '/api/tasks',
    '/api/schedules',
    '/api/tokens',
    '/api/audit',
  ]
  const answers: Record<string, unknown> = {}
  for (const path of cloud) answers[`cloud ${path}`] = steady(await get(url, path))
  for (const path of agents) answers[`agents ${path}`] = steady(await get(agentsUrl, path))
  return answers
}

/** Fields that change by themselves, such as whether a device is online. */
const changing = /^(?:status|presence|next_?run|nextRun|score|expires|last_?used)/i

const steady = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, each: unknown) => (changing.test(name) ? undefined : each))

async function get(base: string, path: string): Promise<unknown> {
  const response = await fetch(base + path)
  if (response.ok) return response.json()
  throw new Error(`GET ${path} was answered with ${response.status}: ${await response.text()}`)
}

async function post(base: string, path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`POST ${path} was answered with ${response.status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

async function untilEnded(base: string, taskId: string): Promise<void> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    const { task } = (await get(base, `/api/tasks/${taskId}`)) as { task: { status: string } }
    if (task.status === 'completed') return
  }
  throw new Error('The task did not end within a minute.')
}
