import { mkdtemp, rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CloudStore, SearchOutcome } from '@homeward/cloud-core'
import { createPostgresStore } from '@homeward/cloud-core/postgres'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { Client } from 'pg'
import { startPostgresServer } from '../durable-queue/postgres-server.ts'
import type { Measurement } from '../measurement.ts'

const owner = 'local'
const at = (seconds: number) => new Date(1_767_225_600_000 + seconds * 1000).toISOString()
/** Searches that are settled at the same time, as reports of devices come. */
const atOnce = 64

/** Size of a measurement. */
interface WebhookLoad {
  /** Searches that are settled in each round. */
  readonly searches: number
  readonly rounds: number
}

/** How the database is, from one round to the next. */
type Setting = 'no triggers' | 'no webhook' | 'one webhook'

interface Contender {
  readonly setting: Setting
  readonly store: CloudStore
}

/** The time that settling a search takes: without the triggers that store events, with them, and with a webhook that wants them. */
export async function measureWebhooks(load: WebhookLoad): Promise<readonly Measurement[]> {
  return [...(await measureSqlite(load)), ...(await measurePostgres(load))]
}

async function measureSqlite(load: WebhookLoad): Promise<readonly Measurement[]> {
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(home, { recursive: true, force: true }))
  return await measureStores('sqlite', load, async (setting) => {
    const path = join(home, `${setting}.db`)
    const store = createSqliteStore({ path })
    stack.defer(() => store.close())
    await prepare(store, setting)
    if (setting === 'no triggers') {
      using database = new DatabaseSync(path)
      const names = database.prepare("select name from sqlite_master where type = 'trigger'").all()
      for (const name of names.map((row) => String(row['name'])))
        if (name.startsWith('webhook_')) database.exec(`drop trigger ${name}`)
    }
    return store
  })
}

async function measurePostgres(load: WebhookLoad): Promise<readonly Measurement[]> {
  await using server = await startPostgresServer()
  await using stack = new AsyncDisposableStack()
  return await measureStores('postgres', load, async (setting) => {
    const connectionString = await server.createDatabase()
    const store = await createPostgresStore({ connectionString })
    stack.defer(() => store.close())
    await prepare(store, setting)
    if (setting === 'no triggers') {
      const client = new Client({ connectionString })
      await client.connect()
      const { rows } = await client.query<{ name: string; place: string }>(
        "select tgname as name, tgrelid::regclass::text as place from pg_trigger where tgname like 'webhook%'",
      )
      for (const { name, place } of rows) await client.query(`drop trigger ${name} on ${place}`)
      await client.end()
    }
    return store
  })
}

async function prepare(store: CloudStore, setting: Setting): Promise<void> {
  const facts = { owner, name: 'd', type: 'iot', platform: 'linux', metadata: {}, labels: [] }
  const key = { hash: 'h', hint: 'h', sealed: null }
  await store.insertDevice({ ...facts, key, id: 'd1', createdAt: at(0), lastSeenAt: null }, undefined)
  if (setting !== 'one webhook') return
  const times = { createdAt: at(0), updatedAt: at(0), failingSince: null, disabledReason: null }
  const webhook = { id: 'w1', owner, url: 'https://hooks.example/', secret: 's', enabled: true, ...times }
  await store.insertWebhook({ ...webhook, events: ['search.settled'] }, 9, undefined)
}

async function measureStores(
  kind: string,
  load: WebhookLoad,
  open: (setting: Setting) => Promise<CloudStore>,
): Promise<readonly Measurement[]> {
  const contenders: Contender[] = []
  for (const setting of ['no triggers', 'no webhook', 'one webhook'] as const)
    contenders.push({ setting, store: await open(setting) })
  const spent: Record<Setting, Spent[]> = { 'no triggers': [], 'no webhook': [], 'one webhook': [] }
  for (let round = 0; round <= load.rounds; round += 1) {
    // they take turns, each round another one first; the first round warms up
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const { setting, store } = contenders[(round + turn) % contenders.length]!
      const took = await settleAll(store, round, load.searches)
      if (round > 0) spent[setting].push(took)
    }
  }
  const floors = spent['no triggers']
  return (['no webhook', 'one webhook'] as const).map((setting) => {
    const ratioOf = (what: keyof Spent) => least(spent[setting], what) / least(floors, what)
    // On Postgres the triggers work in another process.
    const [ratio, cpuRatio] = [ratioOf('us'), kind === 'sqlite' ? ratioOf('cpuUs') : undefined]
    const atMost = setting === 'no webhook' ? 1.3 : 2
    return {
      name: `settling a search, ${kind}, ${setting}`,
      value: Math.round(least(spent[setting], 'us')),
      floor: Math.round(least(floors, 'us')),
      unit: 'µs',
      ratio,
      ...(cpuRatio !== undefined && { cpuRatio }),
      target: { atMost },
      passed: (cpuRatio ?? ratio) <= atMost,
    }
  })
}

/** Of the fastest round: the others were disturbed. */
const least = (rounds: readonly Spent[], what: keyof Spent) => Math.min(...rounds.map((each) => each[what]))

/** Microseconds for each search, and of CPU time of this process. */
interface Spent {
  readonly us: number
  readonly cpuUs: number
}

async function settleAll(store: CloudStore, round: number, count: number): Promise<Spent> {
  const ids = Array.from({ length: count }, (_, index) => `s${round}-${index}`)
  const rest = { deviceId: 'd1', query: 'q', scope: [], createdAt: at(1), expiresAt: at(999), groupId: null }
  for (let start = 0; start < count; start += 500)
    await store.insertSearches(
      owner,
      ids.slice(start, start + 500).map((id) => ({ id, ...rest })),
      undefined,
    )
  const [startedAt, cpuAt] = [performance.now(), process.cpuUsage()]
  const outcome: SearchOutcome = { status: 'completed', results: { files: [] }, error: null }
  for (let start = 0; start < count; start += atOnce) {
    await Promise.all(
      ids
        .slice(start, start + atOnce)
        .map((id) => store.settleSearch({ id, deviceId: 'd1', outcome, now: at(5) })),
    )
  }
  const { user, system } = process.cpuUsage(cpuAt)
  return { us: ((performance.now() - startedAt) * 1000) / count, cpuUs: (user + system) / count }
}
