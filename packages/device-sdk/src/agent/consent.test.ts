import type { SearchReport } from '@homeward/contract/device-cloud'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createMemoryAuditLog } from '../audit-log/create-memory-audit-log.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { createMemoryOutbox } from '../outbox/create-memory-outbox.ts'
import type { ConsentRequest, DevicePolicy } from '../policy/device-policy.ts'
import { list, search, upload } from './testing/fake-cloud.ts'
import { buildAgent } from './testing/start-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const found = { path: '/a', name: 'a', size: 3, modified: '2026-01-01T00:00:00.000Z' }
const providers = { files: () => Promise.resolve({ found: [found] }) }
const files = {
  open: () =>
    Promise.resolve({ fileName: 'a', size: 1, content: new Blob(['x']), close: () => Promise.resolve() }),
}
const minute = 60_000

/** An owner who decides when the test says so. */
function createOwner() {
  const waiting = new Map<string, (answer: boolean) => void>()
  const asked: ConsentRequest[] = []
  const consent: DevicePolicy['consent'] = (request) => {
    asked.push(request)
    return new Promise((resolve) => waiting.set(request.request.id, resolve))
  }
  return { consent, asked, decide: (id: string, answer: boolean) => waiting.get(id)!(answer) }
}

it('runs other searches while one waits for the owner, and says that it works on all of them', async () => {
  const owner = createOwner()
  const asks: (readonly string[])[] = []
  const requests = [search('a'), search('b'), search('c'), { ...search('d'), actor: 'token:bob' }]
  const work = { searches: requests, uploads: [upload('u')], now: '2026-01-01T00:00:00.000Z' }
  const { cloud, agent } = buildAgent(
    {
      work: ({ body }) => {
        const { working } = body as { readonly working: string[] }
        asks.push(working)
        const isNew = ({ id }: { readonly id: string }) => !working.includes(id)
        const rest = {
          ...work,
          searches: work.searches.filter(isNew),
          uploads: work.uploads.filter(isNew),
        }
        return Response.json(rest, { headers: { 'preference-applied': 'wait=1' } })
      },
    },
    { work: 'held', waitSeconds: 1, providers, files, policy: { consent: owner.consent } },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(5000)
  expect(owner.asked).toContainEqual({ action: 'search', request: requests[3] })
  expect(asks.at(-1)?.toSorted()).toEqual(['a', 'b', 'c', 'd', 'u'])
  expect(cloud.reports()).toEqual([])
  owner.decide('d', true)
  await vi.advanceTimersByTimeAsync(5000)
  expect(cloud.reports().map(({ queryId, error }) => [queryId, error])).toEqual([['d', null]])
  owner.decide('a', false)
  owner.decide('u', false)
  await vi.advanceTimersByTimeAsync(5000)
  expect(cloud.reports().at(-1)).toMatchObject({ queryId: 'a', error: 'consent_denied', results: {} })
  expect((cloud.to('upload')[0]!.body as FormData).get('error')).toBe('consent_denied')
  await agent.stop()
})

it.each([
  ['says no', () => false, 'consent_denied'],
  ['throws', () => Promise.reject(new Error('no window')), 'consent_denied'],
  ['gives something else', () => 'yes' as never, 'consent_denied'],
  ['is silent', () => new Promise<boolean>(() => {}), 'consent_timeout'],
  ['was silent before', () => Promise.reject(new DeviceCloudError('TIMEOUT', 'late')), 'consent_timeout'],
])('sends nothing but the reason when the owner %s', async (_, consent, error) => {
  const files2 = { open: vi.fn(files.open) }
  const provider = vi.fn(providers.files)
  const auditLog = createMemoryAuditLog()
  const { cloud, agent } = buildAgent(
    { searches: () => list([search('s')]), uploads: () => list([{ ...upload('u'), actor: 'bob' }]) },
    {
      auditLog,
      files: files2,
      providers: { files: provider },
      policy: { consent, consentTimeoutMs: minute },
    },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(3 * minute)
  expect(cloud.reports()).toMatchObject([{ queryId: 's', error, results: {} }])
  expect((cloud.to('upload')[0]!.body as FormData).get('error')).toBe(error)
  expect(cloud.to('upload')).toHaveLength(1)
  expect([provider.mock.calls, files2.open.mock.calls]).toEqual([[], []])
  expect(auditLog.entries()).toHaveLength(2)
  expect(auditLog.entries()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: 's', outcome: 'denied', reason: error, rows: 0, bytes: 0 }),
      expect.objectContaining({ id: 'u', outcome: 'denied', reason: error, actor: 'bob', bytes: 0 }),
    ]),
  )
  await agent.stop()
})

it('asks about a search once more after a restart, and stores nothing before a yes', async () => {
  const owner = createOwner()
  const outbox = createMemoryOutbox()
  const cloudOf = { searches: () => list([search('s')]) }
  const first = buildAgent(cloudOf, { outbox, providers, policy: { consent: owner.consent } })
  first.agent.start()
  await vi.advanceTimersByTimeAsync(minute)
  expect(await outbox.list()).toEqual([])
  await first.agent.stop()
  const second = buildAgent(cloudOf, { outbox, providers, policy: { consent: () => true } })
  second.agent.start()
  await vi.advanceTimersByTimeAsync(minute)
  expect(second.cloud.reports()).toMatchObject([{ queryId: 's', error: null, results: { files: [found] } }])
  expect([first.cloud.reports(), owner.asked.length]).toEqual([[], 1])
  await second.agent.stop()
})

it('records who asked and how much was sent', async () => {
  const auditLog = createMemoryAuditLog()
  const { agent } = buildAgent(
    { searches: () => list([{ ...search('s'), actor: 'token:bob' }]), uploads: () => list([upload('u')]) },
    { auditLog, providers, files },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(minute)
  const bytes = JSON.stringify({ files: [found] }).length
  expect(auditLog.entries().find(({ id }) => id === 's')).toMatchObject({
    actor: 'token:bob',
    rows: 1,
    bytes,
  })
  expect(auditLog.entries().find(({ id }) => id === 'u')).toMatchObject({ outcome: 'allowed', bytes: 1 })
  await agent.stop()
})

it('does not ask about a file that the policy denies anyway', async () => {
  const owner = createOwner()
  const { cloud, agent } = buildAgent(
    { uploads: () => list([upload('u', 'file:///etc/passwd')]) },
    { files, policy: { consent: owner.consent } },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(minute)
  expect((cloud.to('upload')[0]!.body as FormData).get('error')).toBe('policy_denied: the path is a URL')
  expect(owner.asked).toEqual([])
  await agent.stop()
})

it('property: results leave only what the owner said yes to, however decisions and stops fall', async () => {
  const decision = fc.record({
    isFile: fc.boolean(),
    afterMs: fc.integer({ min: 0, max: 4 * minute }),
    answer: fc.constantFrom('yes', 'no', 'throws', 'silence'),
  })
  const run = async (
    decisions: readonly { isFile: boolean; afterMs: number; answer: string }[],
    stopMs: number,
  ) => {
    const yes = new Set<string>()
    const consent: DevicePolicy['consent'] = async ({ request: { id } }, signal) => {
      const { afterMs, answer } = decisions[Number(id)]!
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, afterMs)
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          resolve(undefined)
        })
      })
      signal.throwIfAborted()
      if (answer === 'throws') throw new Error('no window')
      if (answer === 'silence') return new Promise<boolean>(() => {})
      if (answer === 'yes') yes.add(id)
      return answer === 'yes'
    }
    const ids = decisions.map((_, index) => String(index))
    const { cloud, agent } = buildAgent(
      {
        searches: () => list(ids.filter((id) => !decisions[Number(id)]!.isFile).map((id) => search(id))),
        uploads: () => list(ids.filter((id) => decisions[Number(id)]!.isFile).map((id) => upload(id))),
      },
      { providers, files, policy: { consent, consentTimeoutMs: 2 * minute } },
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(stopMs)
    await agent.stop()
    const sent = [
      ...cloud
        .reports()
        .filter(({ results }) => hasRows(results))
        .map(({ queryId }) => queryId),
      ...cloud
        .to('upload')
        .map(({ body }) => body as FormData)
        .flatMap((form) => (form.has('file') ? [form.get('requestId') as string] : [])),
    ]
    expect(sent.filter((id) => !yes.has(id))).toEqual([])
    for (const id of yes) expect(decisions[Number(id)]!.afterMs).toBeLessThanOrEqual(2 * minute)
  }
  await fc.assert(
    fc.asyncProperty(fc.array(decision, { maxLength: 12 }), fc.integer({ min: 0, max: 6 * minute }), run),
    { numRuns: 60 },
  )
})

const hasRows = (results: SearchReport['results']) => (results?.files?.length ?? 0) > 0
