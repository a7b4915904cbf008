import { ChunkPlan } from '@homeward/contract/device-cloud'
import * as z from 'zod/mini'
import { hashText } from '../../keys/api-key.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import { CloudStoreError } from '../../ports/cloud-store-error.ts'

const maxKnownPlans = 200
const maxPlanBytes = 128 * 1024
const probesAtOnce = 8

/** Uploads in chunks that are under way, kept in a store of files: they outlive the process. */
export interface ChunkSessions {
  /** How large chunks should be, in bytes. */
  readonly chunkBytes: number
  /** Keeps a plan for a request; chunks of another plan are dropped. */
  begin(deviceId: string, requestId: string, plan: ChunkPlan): Promise<ChunkSession>
  /** The session of a request, as it is now; undefined when none was begun. */
  find(deviceId: string, requestId: string): Promise<ChunkSession | undefined>
  /** The same without reading a plan that is remembered: another process may have begun another one since. */
  recall(deviceId: string, requestId: string): Promise<ChunkSession | undefined>
  /** Removes what is kept for a request. */
  drop(deviceId: string, requestId: string): Promise<void>
  /** Ends what is under way. */
  close(): Promise<void>
}

/** One upload in chunks. */
export interface ChunkSession {
  /** Names the session among all; stands for its blob in leases. */
  readonly key: string
  readonly plan: ChunkPlan
  /** Length of a chunk in bytes. */
  sizeOf(index: number): number
  /** Whether a chunk is there. */
  has(index: number): Promise<boolean>
  /** Places of the chunks that are there, in order. */
  received(): Promise<number[]>
  /** Stores a chunk: whole, or not at all. One that is there already stays. */
  put(index: number, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>
  /** Bytes of a chunk; undefined when it is not there. */
  open(index: number): Promise<ReadableStream<Uint8Array> | undefined>
  remove(index: number): Promise<void>
}

/** What {@link createChunkSessions} works with. */
interface ChunkSessionsSetup {
  readonly chunks: BlobStore
  readonly chunkBytes: number
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/**
 * Keeps the plan of a session under a name that its request decides, and each chunk under a name that its place and its
 * digest decide: a plan that was begun before finds them again, whichever process asks, and another one finds nothing but
 * what it would take itself, also from a process that remembers the plan before it.
 */
export function createChunkSessions(setup: ChunkSessionsSetup): ChunkSessions {
  const { chunks, chunkBytes } = setup
  const stale = createStaleChunks(setup)
  const known = new Map<string, ChunkPlan>()

  const remember = (key: string, plan: ChunkPlan): void => {
    known.delete(key)
    known.set(key, plan)
    const [oldest] = known.keys()
    if (known.size > maxKnownPlans && oldest !== undefined) known.delete(oldest)
  }

  const read = async (key: string): Promise<ChunkPlan | undefined> => {
    known.delete(key) // another process may have changed it
    const blob = await chunks.open(planName(key))
    if (blob === undefined) return undefined
    if (blob.size > maxPlanBytes) {
      await blob.content.cancel()
      return undefined
    }
    const plan = parsePlan(await new Response(blob.content).text())
    if (plan !== undefined) remember(key, plan)
    return plan
  }

  const drop = async (key: string): Promise<void> => {
    const plan = await read(key)
    known.delete(key)
    if (plan !== undefined) {
      const session = createSession(chunks, key, plan)
      for (const index of plan.digests.keys()) await session.remove(index)
    }
    // Last: as long as it is there, what is left can be found by it.
    await chunks.delete(planName(key))
  }

  return {
    chunkBytes,
    async begin(deviceId, requestId, plan) {
      stale.noteUpload()
      const key = sessionKey(deviceId, requestId)
      const before = await read(key)
      if (before === undefined || !isSamePlan(before, plan)) {
        await drop(key)
        await putPlan(chunks, key, plan).catch(async (error: unknown) => {
          // Two beginnings at once: the same plan serves both.
          const other = CloudStoreError.is(error) && error.code === 'CONFLICT' ? await read(key) : undefined
          if (other === undefined || !isSamePlan(other, plan)) throw error
        })
        remember(key, plan)
      }
      return createSession(chunks, key, plan)
    },
    async find(deviceId, requestId) {
      const key = sessionKey(deviceId, requestId)
      const plan = await read(key)
      return plan && createSession(chunks, key, plan)
    },
    async recall(deviceId, requestId) {
      const key = sessionKey(deviceId, requestId)
      const plan = known.get(key) ?? (await read(key))
      return plan && createSession(chunks, key, plan)
    },
    drop: (deviceId, requestId) => drop(sessionKey(deviceId, requestId)),
    async close() {
      await stale.close()
      await chunks.close?.()
    },
  }
}

const sessionKey = (deviceId: string, requestId: string) => hashText(JSON.stringify([deviceId, requestId]))
const planName = (key: string) => `plan_${key}`
const isSamePlan = (one: ChunkPlan, other: ChunkPlan) => JSON.stringify(one) === JSON.stringify(other)

function parsePlan(text: string): ChunkPlan | undefined {
  try {
    const parsed = z.safeParse(ChunkPlan, JSON.parse(text))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined // another release wrote it, or it is damaged: the device begins anew
  }
}

async function putPlan(chunks: BlobStore, key: string, plan: ChunkPlan): Promise<void> {
  const content = (async function* () {
    yield new TextEncoder().encode(JSON.stringify(plan))
  })()
  await chunks.put({ id: planName(key), fileName: 'plan.json', content })
}

function createSession(chunks: BlobStore, key: string, plan: ChunkPlan): ChunkSession {
  const { size, chunkBytes, digests } = plan
  const nameOf = (index: number) => `chunk_${hashText(JSON.stringify([key, digests[index]]))}_${index}`

  const has = async (index: number): Promise<boolean> => {
    const blob = await chunks.open(nameOf(index))
    await blob?.content.cancel()
    return blob !== undefined
  }

  return {
    key,
    plan,
    has,
    sizeOf: (index) => (index < digests.length - 1 ? chunkBytes : size - chunkBytes * (digests.length - 1)),
    async received() {
      const places = [...digests.keys()]
      const found: number[] = []
      for (let from = 0; from < places.length; from += probesAtOnce) {
        const some = places.slice(from, from + probesAtOnce)
        const there = await Promise.all(some.map(has))
        found.push(...some.filter((_, place) => there[place]))
      }
      return found
    },
    async put(index, content, signal) {
      try {
        await chunks.put({ id: nameOf(index), fileName: 'chunk', content }, signal)
      } catch (error) {
        const isThere = CloudStoreError.is(error) && error.code === 'CONFLICT' && (await has(index))
        if (!isThere) throw error
      }
    },
    open: async (index) => (await chunks.open(nameOf(index)))?.content,
    remove: (index) => chunks.delete(nameOf(index)),
  }
}

const everyMs = 6 * 60 * 60 * 1000
/** Longer than any request is open: what is older belongs to none. */
const maxAgeMs = 48 * 60 * 60 * 1000
/** Whatever else lies in the store is not touched: it may be somebody's files. */
const ownNames = /^(plan_[\w-]{43}|chunk_[\w-]{43}_\d{1,3})$/
/** What one look removes at most; the rest is for the next. */
const maxRemoved = 10_000

/** Removes what is left of uploads that nobody went on with. */
interface StaleChunks {
  /** Notes that an upload began: where a look is due, one begins. */
  noteUpload(): void
  /** Ends a look that is under way. */
  close(): Promise<void>
}

/** Looks through the chunks after the first upload that begins, then every 6 h while some do, for those older than 48 h. */
export function createStaleChunks(setup: {
  readonly chunks: Pick<BlobStore, 'list' | 'delete'>
  readonly now: () => number
  readonly onError: (error: unknown) => void
}): StaleChunks {
  const { chunks, now, onError } = setup
  const closing = new AbortController()
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let look: Promise<void> | undefined
  const wasLately = () => Math.abs(now() - lookedAtMs) < everyMs // also by a clock that was put back

  async function run(): Promise<void> {
    const { signal } = closing
    const old: string[] = []
    for await (const id of chunks.list?.(new Date(now() - maxAgeMs).toISOString(), signal) ?? []) {
      if (!ownNames.test(id)) continue
      if (old.push(id) === maxRemoved) break
    }
    for (const id of old) await chunks.delete(id, signal)
  }

  return {
    noteUpload() {
      if (look !== undefined || closing.signal.aborted || wasLately()) return
      lookedAtMs = now()
      look = run()
        .catch((error: unknown) => {
          if (!closing.signal.aborted) onError(error)
        })
        .finally(() => (look = undefined))
    },
    async close() {
      closing.abort(new Error('The cloud closes'))
      await look
    },
  }
}
