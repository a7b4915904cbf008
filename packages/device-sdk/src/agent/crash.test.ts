import type { SearchReport } from '@homeward/contract/device-cloud'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createMemoryOutbox } from '../outbox/create-memory-outbox.ts'
import type { Outbox, OutboxEntry } from '../ports/index.ts'
import { list, search } from './testing/fake-cloud.ts'
import { buildAgent } from './testing/start-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** What a disk is after a power cut: what was put is there, what was deleted last may be there again. */
function createDisk() {
  const deleted: OutboxEntry[] = []
  let outbox = createMemoryOutbox()
  return {
    /** The outbox of one process; when the process is dead it changes nothing any more. */
    mount(): Outbox & { die(): void } {
      const current = outbox
      let isDead = false
      const whileAlive = async (work: () => Promise<void>) => {
        if (isDead) await new Promise(() => {})
        await work()
      }
      return {
        list: () => current.list(),
        put: (entry) => whileAlive(() => current.put(entry)),
        delete: (id) =>
          whileAlive(async () => {
            deleted.push(...(await current.list()).filter(({ queryId }) => queryId === id))
            await current.delete(id)
          }),
        die: () => void (isDead = true),
      }
    },
    async losePower(comesBack: boolean) {
      const kept = await outbox.list()
      outbox = createMemoryOutbox()
      for (const entry of kept) await outbox.put(entry)
      if (comesBack) for (const entry of deleted.splice(0)) await outbox.put(entry)
      deleted.length = 0
    },
    list: () => outbox.list(),
  }
}

/** A cloud that settles each search by its first report (C9). */
function createSettlingCloud() {
  const pending = new Set<string>()
  const outcomes = new Map<string, SearchReport>()
  const reports = new Map<string, number>()
  let health: 'up' | 'down' | 'mute' = 'up'
  const answers = {
    searches: () => list([...pending].map((id) => search(id))),
    report: ({ body }: { body: unknown }) => {
      const report = body as SearchReport
      const { queryId } = report
      reports.set(queryId, (reports.get(queryId) ?? 0) + 1)
      if (health === 'down') return new Response('', { status: 503 })
      if (pending.delete(queryId)) outcomes.set(queryId, report)
      if (health === 'mute') return new Response('', { status: 502 })
      const error = outcomes.get(queryId)?.error
      return Response.json(
        error
          ? { success: false, queryId, status: 'failed', error }
          : { success: true, queryId, status: 'completed' },
      )
    },
  }
  return { pending, outcomes, reports, answers, turn: (next: typeof health) => void (health = next) }
}

const step = fc.oneof(
  fc.record({ do: fc.constant('ask' as const) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 40_000 }) }),
  fc.record({ do: fc.constant('turn' as const), health: fc.constantFrom('up', 'down', 'mute') }),
  fc.record({ do: fc.constant('kill' as const), comesBack: fc.boolean() }),
)

it(
  'C17: gives each search one outcome and sends nothing for ever, whatever dies in between',
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
        const disk = createDisk()
        const cloud = createSettlingCloud()
        const ran = new Map<string, number>()
        const files = async ({ queryId }: { queryId: string }) => {
          ran.set(queryId, (ran.get(queryId) ?? 0) + 1)
          await new Promise((resolve) => setTimeout(resolve, 700))
          return { found: [] }
        }
        const boot = () => {
          const outbox = disk.mount()
          const { agent } = buildAgent(cloud.answers, { outbox, providers: { files } })
          agent.start()
          return { agent, outbox }
        }
        let process = boot()
        let asked = 0
        const interrupted = new Map<string, number | undefined>()
        for (const action of steps) {
          if (action.do === 'ask') cloud.pending.add(`q${(asked += 1)}`)
          if (action.do === 'wait') await vi.advanceTimersByTimeAsync(action.ms)
          if (action.do === 'turn') cloud.turn(action.health)
          if (action.do === 'kill') {
            process.outbox.die()
            for (const { state, queryId } of await disk.list())
              if (state === 'running') interrupted.set(queryId, ran.get(queryId))
            // What the dead one still tries does not reach the disk, and its answers reach nobody.
            void process.agent.stop()
            await disk.losePower(action.comesBack)
            process = boot()
          }
        }
        cloud.turn('up')
        await vi.advanceTimersByTimeAsync(600_000)
        expect(cloud.pending.size).toBe(0)
        expect(cloud.outcomes.size).toBe(asked)
        expect(await disk.list()).toEqual([])
        for (const { error } of cloud.outcomes.values())
          expect([null, 'the agent restarted while it ran']).toContain(error)
        const sent = new Map(cloud.reports)
        await vi.advanceTimersByTimeAsync(600_000)
        expect(cloud.reports).toEqual(sent)
        for (const [queryId, count] of interrupted) {
          expect(cloud.outcomes.get(queryId)?.error).toBe('the agent restarted while it ran')
          expect(ran.get(queryId)).toBe(count)
        }
        await process.agent.stop()
      }),
      { numRuns: 60 },
    )
  },
)
