import { createHash } from 'node:crypto'
import { createUserClient, type UserClient } from '@homeward/device-sdk'
import { expect } from 'vitest'
import type { ChaosDevice } from './device-group.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The users' side: asks, remembers what the cloud promised, and checks it afterwards. */
interface ChaosDashboard {
  /** Where the cloud is now; undefined while it is down. */
  cloudUrl: string | undefined
  search(device: ChaosDevice): Promise<void>
  askForFile(device: ChaosDevice, hash: string): Promise<void>
  /** Looks at every outcome there is: one that was seen before must not have changed. */
  observe(): Promise<void>
  /** Resolves when nothing is pending any more. */
  settled(withinMs: number): Promise<void>
  checkSearches(): { readonly total: number; readonly completed: number }
  checkFiles(): Promise<number>
}

type Searches = Awaited<ReturnType<UserClient['listSearches']>>['results']
type Uploads = Awaited<ReturnType<UserClient['listUploads']>>['results']

/** Builds it. */
export function createChaosDashboard(): ChaosDashboard {
  const promised = new Set<string>()
  const hashes = new Map<string, string>()
  const outcomes = new Map<string, string>()
  let searches: Searches = []
  let uploads: Uploads = []
  let requests = 0

  const clientOf = (baseUrl: string) => createUserClient({ baseUrl, timeoutMs: 5000 })

  /** Repeats a creation until the cloud answers: the key makes that safe (C20). */
  async function insist<T>(
    create: (client: UserClient, headers: { 'idempotency-key': string }) => Promise<T>,
  ) {
    const headers = { 'idempotency-key': `chaos-${(requests += 1)}` }
    for (;;) {
      try {
        if (dashboard.cloudUrl) return await create(clientOf(dashboard.cloudUrl), headers)
      } catch (error) {
        expect(error).toHaveProperty('retryable', true)
      }
      await pause(100)
    }
  }

  async function readAll(client: UserClient): Promise<void> {
    const found: { searches: Searches; uploads: Uploads } = { searches: [], uploads: [] }
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await client.listSearches({ query: { limit: '500', ...(cursor && { cursor }) } })
      found.searches.push(...page.results)
      cursor = page.nextCursor
    }
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await client.listUploads({ query: { limit: '500', ...(cursor && { cursor }) } })
      found.uploads.push(...page.results)
      cursor = page.nextCursor
    }
    searches = found.searches
    uploads = found.uploads
  }

  const dashboard: ChaosDashboard = {
    cloudUrl: undefined,
    async search({ id }) {
      const { searchQueries } = await insist((client, headers) =>
        client.createSearches({ body: { query: 'findme', scope: ['files'], deviceIds: [id] }, headers }),
      )
      for (const row of searchQueries) promised.add(row.id)
    },
    async askForFile({ id, root }, hash) {
      const filePath = `${root}/findme.bin`
      const { uploadRequests } = await insist((client, headers) =>
        client.createUploads({ body: { filePath, destination: 'cloud', deviceIds: [id] }, headers }),
      )
      for (const row of uploadRequests) hashes.set(row.id, hash)
    },
    async observe() {
      if (!dashboard.cloudUrl) return
      try {
        await readAll(clientOf(dashboard.cloudUrl))
      } catch {
        return // it was killed meanwhile
      }
      for (const row of searches.filter(({ status }) => status !== 'pending')) {
        const outcome = JSON.stringify(row)
        expect(outcomes.get(row.id) ?? outcome).toBe(outcome)
        outcomes.set(row.id, outcome)
      }
    },
    async settled(withinMs) {
      const untilMs = performance.now() + withinMs
      for (;;) {
        await dashboard.observe()
        const waiting = [...searches, ...uploads].filter(({ status }) => /pending|uploading/.test(status))
        if (waiting.length === 0) return
        if (performance.now() > untilMs) {
          throw new Error(`still waiting: ${JSON.stringify(waiting.slice(0, 5))} (${waiting.length})`)
        }
        await pause(250)
      }
    },
    checkSearches() {
      expect(searches.map(({ id }) => id).toSorted()).toEqual([...promised].toSorted())
      for (const { status, error, results } of searches) {
        if (status === 'failed') expect(error).toBe('the agent restarted while it ran')
        else expect({ status, results }).toMatchObject({ results: { files: [{ name: 'findme.bin' }] } })
      }
      const completed = searches.filter(({ status }) => status === 'completed').length
      return { total: searches.length, completed }
    },
    async checkFiles() {
      expect(uploads.map(({ id }) => id).toSorted()).toEqual([...hashes.keys()].toSorted())
      for (const { id, status, error, fileUrl } of uploads) {
        expect({ status, error }).toEqual({ status: 'completed' })
        const bytes = await (await fetch(fileUrl ?? '')).bytes()
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(hashes.get(id))
      }
      return uploads.length
    },
  }
  return dashboard
}
