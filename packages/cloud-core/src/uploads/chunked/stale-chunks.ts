import type { BlobStore } from '../../ports/blob-store.ts'

const everyMs = 6 * 60 * 60 * 1000
/** Longer than any request is open: what is older belongs to none. */
const maxAgeMs = 48 * 60 * 60 * 1000
/** Whatever else lies in the store is not touched: it may be somebody's files. */
const ownNames = /^(plan_[\w-]{43}|chunk_[\w-]{43}_\d{1,3})$/
/** What one look removes at most; the rest is for the next. */
const maxRemoved = 10_000

/** Removes what is left of uploads that nobody went on with. */
export interface StaleChunks {
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
