import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryAuditLog } from '../audit-log/create-memory-audit-log.ts'
import { createMemoryOutbox } from '../outbox/create-memory-outbox.ts'
import type { FileSource } from '../ports/index.ts'
import { after, type FakeAnswer, list, search, upload } from './testing/fake-cloud.ts'
import { buildAgent } from './testing/start-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const held: FakeAnswer = (_, signal) => after(50_000, () => list([], true), signal)
const failing: FakeAnswer = () => new Response('', { status: 503 })
const refused: FakeAnswer = () => new Response('', { status: 401 })
const files: FileSource = {
  open: async () => ({ fileName: 'a', size: 1, content: new Blob(['a']), close: async () => {} }),
}
const brokenOutbox = () => ({ ...createMemoryOutbox(), list: () => Promise.reject(new Error('disk')) })

type Build = () => ReturnType<typeof buildAgent>
const states: [string, number, Build][] = [
  ['polls are held', 1000, () => buildAgent({ searches: held, uploads: held })],
  ['it rests between polls', 1000, () => buildAgent()],
  ['the first beat is put off', 1000, () => buildAgent({}, { spreadFirstHeartbeat: true })],
  [
    'a heartbeat is unanswered',
    1000,
    () => buildAgent({ beat: (_, signal) => after(1e9, Response.error, signal) }),
  ],
  ['a heartbeat backs off', 1000, () => buildAgent({ beat: failing })],
  ['a poll backs off', 1000, () => buildAgent({ searches: failing })],
  ['a report backs off', 1000, () => buildAgent({ searches: () => list([search('q')]), report: failing })],
  [
    'an upload backs off',
    1000,
    () => buildAgent({ uploads: () => list([upload('u')]), upload: failing }, { files }),
  ],
  ['the key is refused', 1000, () => buildAgent({ beat: refused })],
  ['the outbox cannot be read', 1000, () => buildAgent({}, { outbox: brokenOutbox() })],
  ['facts are slow', 1000, () => buildAgent({}, { metadata: () => new Promise(() => {}) })],
  ['it has just begun', 0, () => buildAgent({ searches: held })],
]

describe('stop', () => {
  it.each(states)('leaves no timer and sends nothing more when %s', async (_, runsForMs, build) => {
    const { agent, cloud } = build()
    agent.start()
    if (runsForMs > 0) await vi.advanceTimersByTimeAsync(runsForMs)
    await agent.stop()
    expect(vi.getTimerCount()).toBe(0)
    const { length } = cloud.hits
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(cloud.hits).toHaveLength(length)
  })

  it('returns at once when nothing runs, also twice', async () => {
    const { agent } = buildAgent()
    await agent.stop()
    agent.start()
    await Promise.all([agent.stop(), agent.stop()])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('what holds files', () => {
  function closable() {
    const order: string[] = []
    const note = (name: string) => async () => void order.push(name)
    const outbox = createMemoryOutbox()
    const put: typeof outbox.put = async (entry) => {
      order.push(`put ${entry.state}`)
      await outbox.put(entry)
    }
    const log = createMemoryAuditLog()
    return {
      order,
      settings: {
        outbox: { ...outbox, put, close: note('close outbox') },
        auditLog: { ...log, close: note('close audit log') },
      },
    }
  }

  it('is closed by stop, after the last write, and used again after the next start', async () => {
    const { order, settings } = closable()
    const { agent, cloud } = buildAgent({ searches: () => list([search('q')]) }, settings)
    agent.start()
    await vi.advanceTimersByTimeAsync(1000)
    await agent.stop()
    const once = ['put running', 'put ready', 'close outbox', 'close audit log']
    expect(order).toEqual(once)
    cloud.routes.searches = () => list([search('r')])
    agent.start()
    await vi.advanceTimersByTimeAsync(1000)
    await agent.stop()
    expect(order).toEqual([...once, ...once])
  })

  it('is closed after each tick', async () => {
    const { order, settings } = closable()
    const { agent } = buildAgent({}, settings)
    await agent.runOnce()
    expect(order).toEqual(['close outbox', 'close audit log'])
  })

  it('is told when it cannot be closed', async () => {
    const { agent, of } = buildAgent(
      {},
      { outbox: { ...createMemoryOutbox(), close: () => Promise.reject(new Error('disk')) } },
    )
    await agent.runOnce()
    expect(of('state:error')).toMatchObject([{ part: 'outbox', error: { code: 'STATE_UNAVAILABLE' } }])
  })
})
