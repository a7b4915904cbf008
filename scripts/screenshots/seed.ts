import type { Servers } from '../../tests/dashboard/start-servers.ts'

/** What the pictures show. */
export interface Seeded {
  readonly groupId: string
  readonly runId: string
}

interface SimulatedDevice {
  readonly id: string
  readonly apiKey: string
}

const user = { userId: 'local' }

const found = {
  'NAS workshop': [
    ['/srv/archive/2026/invoice-0417.pdf', 48_213, '2026-10-28T16:05:00.000Z'],
    ['/srv/archive/2026/invoice-0416.pdf', 51_090, '2026-10-21T09:12:00.000Z'],
    ['/srv/archive/2025/invoices-2025.zip', 18_402_118, '2026-01-04T18:40:00.000Z'],
  ],
  'Kitchen Pi': [['/home/pi/scans/invoice-gas.pdf', 230_455, '2026-09-30T07:15:00.000Z']],
  'Ann’s laptop': [
    ['/Users/ann/Documents/invoice-0418.pdf', 49_771, '2026-11-01T10:20:00.000Z'],
    ['/Users/ann/Documents/Invoice template.docx', 22_016, '2026-03-12T13:00:00.000Z'],
  ],
} as const

/** Fills the servers with devices, a search, agents, runs, a graph and schedules. */
export async function seed(servers: Servers): Promise<Seeded> {
  const devices = await seedDevices(servers)
  const groupId = await seedSearch(servers, devices)
  const runId = await seedAgents(servers)
  return { groupId, runId }
}

async function seedDevices(servers: Servers): Promise<Map<string, SimulatedDevice>> {
  const registrations = [
    ['Office desktop', 'desktop', 'windows', { os: 'Windows 11' }, ['office']],
    ['NAS workshop', 'server', 'linux', { os: 'Debian 12' }, ['workshop']],
    ['Kitchen Pi', 'iot', 'linux', { os: 'Raspberry Pi OS 12' }, ['home/kitchen']],
    ['Ann’s laptop', 'laptop', 'macos', { os: 'macOS 26.1' }, ['home']],
  ] as const
  const devices = new Map<string, SimulatedDevice>()
  for (const [name, type, platform, metadata, labels] of registrations) {
    const registration = { name, type, platform, metadata, labels: [...labels] }
    const { device, apiKey } = await servers.cloud().registerDevice(user, registration)
    devices.set(name, { id: device.id, apiKey })
    if (name !== 'Office desktop') await call(servers, apiKey, 'POST', '/heartbeat', { metadata })
  }
  return devices
}

async function seedSearch(servers: Servers, devices: Map<string, SimulatedDevice>): Promise<string> {
  const ids = [...devices.values()].map(({ id }) => id)
  const search = { query: 'invoice', scope: ['files'], deviceIds: ids }
  const { groupId } = await call<{ groupId: string }>(servers, undefined, 'POST', '/search/query', search)
  for (const [name, files] of Object.entries(found)) {
    const key = devices.get(name)?.apiKey
    const { requests } = await call<{ requests: { id: string }[] }>(servers, key, 'GET', '/search/pending')
    const rows = files.map(([path, size, modified]) => ({
      path,
      name: path.split('/').at(-1),
      size,
      modified,
    }))
    for (const { id: queryId } of requests)
      await call(servers, key, 'POST', '/search', { queryId, results: { files: rows }, error: null })
  }
  return groupId
}

async function call<Reply>(
  { cloudUrl }: Servers,
  apiKey: string | undefined,
  method: string,
  path: string,
  body?: object,
): Promise<Reply> {
  const response = await fetch(`${cloudUrl}/api/devices${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`Seeding ${path} failed: status ${response.status}.`)
  return (await response.json()) as Reply
}

async function seedAgents(servers: Servers): Promise<string> {
  const { agents, graphs, schedules } = servers.runtime()
  const model = 'openai/gpt-5.4-mini'
  const base = { model, skills: ['device-search'], approval_tools: ['write_file'] }
  await agents.create({
    ...base,
    id: 'helper',
    name: 'Home helper',
    description: 'Finds files on your devices.',
  })
  await agents.create({ id: 'writer', name: 'Writer', model, description: 'Writes short texts.' })
  const online = { agent_id: 'helper', task: 'Which of my devices are online?' }
  const { run_id: runId } = await servers.runtime().run(online)
  for (const task of [
    'What is on today?',
    'What is on tomorrow?',
    'Say hello to the team.',
    'Is this link broken?',
  ])
    await servers.runtime().run({ agent_id: 'writer', task })
  await graphs.create({
    id: 'briefing',
    name: 'Morning briefing',
    nodes: [
      { id: 'meetings', agent: 'writer', input: 'List the meetings of {{input}}.' },
      { id: 'devices', agent: 'helper', input: 'Which devices are online?' },
      { id: 'links', agent: 'writer', input: 'Which link of {{input}} is broken?', on_error: 'skip' },
      { id: 'briefing', agent: 'writer', input: 'Write one sentence about {{meetings}} and {{devices}}.' },
    ],
    edges: [
      { from: 'meetings', to: 'briefing' },
      { from: 'devices', to: 'briefing' },
    ],
  })
  for (const [name, cron, agent_id] of [
    ['Morning briefing', '0 8 * * 1-5', 'writer'],
    ['Look for new invoices', '0 18 * * 5', 'helper'],
  ] as const)
    await schedules.create({ agent_id, name, cron, timezone: 'Europe/Berlin', input: 'What is on today?' })
  return runId
}
