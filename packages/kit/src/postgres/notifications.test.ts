import { expect, it } from 'vitest'
import { createCutProxy } from '../../../../tests/postgres/cut-proxy.ts'
import { useTestDatabase } from '../../../../tests/postgres/use-test-database.ts'
import type { TestDatabase } from '../../../../tests/postgres/test-database.ts'
import { connect } from './connect.ts'
import { openNotifications } from './notifications.ts'
import type { SignalCodec } from './payloads.ts'
import { testDefaults } from './testing/open-things.ts'

const codec: SignalCodec<string> = {
  encode: (signal) => [signal],
  decode: (value) => (typeof value === 'string' ? value : undefined),
  missed: ['missed'],
}
let database: TestDatabase
const atEnd = useTestDatabase((made) => (database = made))

const bulk: NonNullable<typeof codec.bulk> = {
  is: (signal) => signal.startsWith('e'),
  join: (signals) => signals,
  shorten: () => ['reset'],
}

/** One process: its pool goes to the server, and what it listens on may go another way. */
async function open(listenAt = database.connectionString, poolAt = database.connectionString) {
  const pooled = await connect({ connectionString: poolAt }, testDefaults)
  const listening = await connect({ connectionString: listenAt, connectTimeoutMs: 1000 }, testDefaults)
  const heard: string[] = []
  const { send, close } = await openNotifications({
    connections: { ...pooled, createClient: listening.createClient },
    codec: { ...codec, bulk },
    onSignals: (signals) => void heard.push(...signals),
    random: () => 0,
  })
  atEnd.push(async () => {
    await close()
    await Promise.all([pooled.pool.end(), listening.pool.end()])
  })
  return { heard, send }
}
const openProxy = async () => {
  const proxy = await createCutProxy(database.connectionString)
  atEnd.push(() => proxy.close())
  return proxy
}

it('passes signals on to other processes, and not back to their sender', async () => {
  const [here, there] = [await open(), await open()]
  here.send(['one', 'two'])
  await expect.poll(() => there.heard).toEqual(['one', 'two'])
  expect(here.heard).toEqual([])
})

it('tells its listeners to look again and again while it cannot listen, and sends later what it could not', async () => {
  const proxy = await openProxy()
  const [here, there] = [await open(proxy.connectionString), await open()]
  proxy.cut()
  await expect.poll(() => here.heard.length, { timeout: 10_000 }).toBeGreaterThan(2)
  expect(new Set(here.heard)).toEqual(new Set(['missed']))
  here.send(['later'])
  expect(there.heard).toEqual([])
  proxy.mend()
  // the others did not lose their connections: they need not look
  await expect.poll(() => there.heard, { timeout: 10_000 }).toEqual(['later'])
  await expect
    .poll(() => {
      there.send(['news'])
      return here.heard
    })
    .toContain('news')
})

it('tells nobody to look while the database cannot be reached at all', async () => {
  const proxy = await openProxy()
  const here = await open(proxy.connectionString, proxy.connectionString)
  proxy.cut()
  await expect.poll(() => proxy.refused(), { timeout: 10_000 }).toBeGreaterThanOrEqual(3)
  expect(here.heard).toEqual([])
  proxy.mend()
  await expect.poll(() => here.heard, { timeout: 10_000 }).toContain('missed')
})

it('tells all to look instead of sending thousands of signals at once', async () => {
  const [here, there] = [await open(), await open()]
  here.send(['first'])
  here.send(Array.from({ length: 2001 }, (_, index) => `s${index}`))
  await expect.poll(() => there.heard).toEqual(['first', 'missed'])
})

it('passes on thousands of bulk signals, and never tells anybody to look because of them', async () => {
  const [here, there] = [await open(), await open()]
  const events = (count: number) => Array.from({ length: count }, (_, index) => `e${index}`)
  for (const event of events(10_000)) here.send([event])
  await expect.poll(() => there.heard.length, { timeout: 20_000 }).toBe(10_000)
  here.send(['one', ...events(20_000), 'two'])
  await expect
    .poll(() => new Set(there.heard.slice(10_000)), { timeout: 20_000 })
    .toEqual(new Set(['one', 'two', 'reset']))
})
