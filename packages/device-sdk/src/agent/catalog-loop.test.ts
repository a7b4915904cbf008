import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { CatalogTask } from '../ports/catalog-source.ts'
import { buildAgent } from './testing/start-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function tasksOf(...tasks: readonly ('send' | 'remove')[]) {
  const waiting = [...tasks]
  const log: string[] = []
  const note = (what: string) => async () => void log.push(what)
  const next = async (): Promise<CatalogTask | undefined> => {
    const kind = waiting[0]
    if (kind === undefined) return undefined
    const done = async () => void (log.push(`${kind} done`), waiting.shift())
    const content = new Blob(['catalog'])
    return kind === 'remove' ? { kind, done } : { kind, content, done, release: note('released') }
  }
  return { catalog: { next }, log }
}

it('sends and removes what the source gives, once the cloud accepts the device', async () => {
  const { catalog, log } = tasksOf('send', 'remove')
  const { agent, cloud, of } = buildAgent({}, { catalog })
  agent.start()
  await vi.advanceTimersByTimeAsync(61_000)
  expect(cloud.to('catalog').map(({ method }) => method)).toEqual(['PUT', 'DELETE'])
  expect(log).toEqual(['send done', 'released', 'remove done'])
  expect(of('catalog:end')).toEqual([{ kind: 'sent', files: 1 }, { kind: 'removed' }])
  await agent.stop()
})

it('tries again later and later, and gives the content back each time', async () => {
  const { catalog, log } = tasksOf('send')
  const { agent, cloud, of } = buildAgent(
    { catalog: () => Response.json({ error: 'Forbidden' }, { status: 403 }) },
    { catalog },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(24 * 3_600_000)
  const count = cloud.to('catalog').length
  expect(count).toBeGreaterThan(20)
  expect(count).toBeLessThan(60)
  expect(log).toEqual(Array.from({ length: count }, () => 'released'))
  expect(of('catalog:error').at(-1)?.retryInMs).toBeGreaterThan(1_000_000)
  await agent.stop()
})

it('takes a cloud that knows no catalogs for one that has none', async () => {
  const { catalog, log } = tasksOf('remove')
  const { agent, cloud } = buildAgent(
    { catalog: () => Response.json({ error: 'Not found' }, { status: 404 }) },
    { catalog },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(1000)
  expect([cloud.to('catalog').length, log]).toEqual([1, ['remove done']])
  await agent.stop()
})

it('sends nothing that the policy does not let be searched', async () => {
  const { catalog, log } = tasksOf('send')
  const { agent, cloud } = buildAgent({}, { catalog, policy: { scopes: ['system'] } })
  agent.start()
  await vi.advanceTimersByTimeAsync(1000)
  expect([cloud.to('catalog'), log]).toEqual([[], ['released']])
  await agent.stop()
})
