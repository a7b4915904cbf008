import { expect, it } from 'vitest'
import { createMemoryStore } from '../../memory/index.ts'
import type { CloudStore } from '../../ports/cloud-store.ts'
import type { CrashHarness, OnCrashPoint } from './crash-kit.ts'
import { crashConformance } from './crash-kit.ts'

/** A storage in memory that outlives the process, which can be killed before and behind each call. */
function harnessOf(toStore: (kept: CloudStore, cross: OnCrashPoint) => CloudStore): CrashHarness {
  return {
    async create(cross) {
      const kept = createMemoryStore()
      return { store: toStore(kept, cross), reopen: async () => kept, dispose: () => kept.close() }
    },
  }
}

function withFaults(kept: CloudStore, cross: OnCrashPoint): CloudStore {
  const verbs = Object.entries(kept).map(([name, verb]) => [
    name,
    async (...args: never[]) => {
      cross(`before ${name}`)
      const result = await (verb as (...args: never[]) => Promise<unknown>)(...args)
      cross(`behind ${name}`)
      return result
    },
  ])
  // The same verbs, one by one.
  return Object.fromEntries(verbs) as CloudStore
}

it('a store that keeps each act whole passes the kit, wherever it is killed', async () => {
  const { points, crashes, problems } = await crashConformance(harnessOf(withFaults))
  expect(problems).toEqual([])
  expect([points, crashes]).toEqual([98, 98])
})

it('leaves no point out when races take fewer points from one time to the next', async () => {
  const killedAt = new Set<string>()
  let lives = 0
  const harness = harnessOf((kept, cross) => {
    const faulty = withFaults(kept, (point) => {
      try {
        cross(point)
      } catch (error) {
        killedAt.add(point)
        throw error
      }
    })
    lives += 1
    const spare = lives % 3
    return {
      ...faulty,
      async settleSearch(report) {
        for (let number = 0; number < spare; number += 1) cross('before a spare statement')
        return faulty.settleSearch(report)
      },
    }
  })
  const { points, crashes, problems } = await crashConformance(harness)
  expect(problems).toEqual([])
  expect(crashes).toBe(points)
  const verbs = [...killedAt].filter((point) => point.startsWith('before '))
  expect(verbs).toHaveLength(33)
  expect(killedAt.size).toBe(66)
})

const broken: Record<string, (kept: CloudStore, cross: OnCrashPoint) => CloudStore> = {
  'answers before it has kept what was done': (kept, cross) => {
    let waiting: (() => Promise<unknown>)[] = []
    const faulty = withFaults(kept, cross)
    const late: CloudStore['settleUpload'] = async (report) => {
      waiting.push(() => kept.settleUpload(report))
      return { kind: 'settled' }
    }
    const flush = async <Result>(call: () => Promise<Result>): Promise<Result> => {
      cross('before what waits is kept')
      for (const write of waiting) await write()
      waiting = []
      return call()
    }
    return {
      ...faulty,
      settleUpload: late,
      writeHeartbeats: (...args) => flush(() => faulty.writeHeartbeats(...args)),
      cancelUpload: (...args) => flush(() => faulty.cancelUpload(...args)),
    }
  },
  'keeps searches one by one': (kept, cross) => ({
    ...withFaults(kept, cross),
    async insertSearches(owner, searches, once, audit) {
      for (const search of searches.slice(1)) {
        await kept.insertSearches(owner, [search], undefined)
        cross('between two searches')
      }
      return kept.insertSearches(owner, searches.slice(0, 1), once, audit)
    },
  }),
  'keeps the audit behind what it is about': (kept, cross) => ({
    ...withFaults(kept, cross),
    async deleteDevice(owner, deviceId, audit = []) {
      const deleted = await kept.deleteDevice(owner, deviceId)
      cross('before the audit')
      if (deleted !== undefined) await kept.appendAudit(audit)
      return deleted
    },
  }),
  'forgets that a creation was done': (kept, cross) => ({
    ...withFaults(kept, cross),
    async insertUploads(owner, uploads, _once, audit) {
      const outcome = await kept.insertUploads(owner, uploads, undefined, audit)
      cross('behind the requests')
      return outcome
    },
  }),
  'lets the last report win': (kept, cross) => ({
    ...withFaults(kept, cross),
    async settleSearch(report) {
      cross('before a report')
      await kept.settleSearch(report)
      return { kind: 'settled' }
    },
  }),
}

it.each(Object.keys(broken))('a store that %s fails the kit', async (name) => {
  const { problems } = await crashConformance(harnessOf(broken[name] ?? withFaults))
  expect(problems.length).toBeGreaterThan(0)
})
