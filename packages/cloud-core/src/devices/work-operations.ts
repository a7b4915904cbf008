import type {
  DeviceCloudOperations,
  DeviceMetadata,
  SearchRequest,
  UploadRequest,
} from '@homeward/contract/device-cloud'
import type { ReplyOf } from '@homeward/contract'
import { rateLimited, type PlainReply } from '@homeward/contract/handler'
import { toEventStream } from '@homeward/kit'
import { toEventReply } from '../context/event-reply.ts'
import { readPending, withActor, type PendingPoll } from '../delivery/read-pending.ts'
import type { DeviceContext } from './device-context.ts'
import type { PresenceNotes } from './heartbeat-operation.ts'

const pollLimit = 20
const pingSeconds = 25

/** One thing that a device is asked to do. */
type WorkRow =
  | { readonly event: 'search'; readonly request: SearchRequest }
  | { readonly event: 'upload'; readonly request: UploadRequest }

/** One request that is heartbeat and both lists, and its form for devices that read a stream. */
export function createWorkOperations(context: DeviceContext, { note, attend }: PresenceNotes) {
  const { store, polls, clock } = context

  async function listWork(deviceId: string, known: number): Promise<readonly WorkRow[]> {
    const { at } = clock()
    // Most devices have nothing to do: one cheap question says so.
    const waiting = known > 0 || Object.values(await store.countPending(deviceId, at)).some(Boolean)
    if (!waiting) return []
    const limit = pollLimit + known
    const [searches, uploads] = await Promise.all([
      store.listPendingSearches(deviceId, limit, at),
      store.listPendingUploads(deviceId, limit, at),
    ])
    return [
      ...searches.map((request): WorkRow => ({ event: 'search', request: withActor(request) })),
      ...uploads.map((request): WorkRow => ({ event: 'upload', request: withActor(request) })),
    ]
  }

  /** At most so many of a kind as a list has. */
  function newOf(rows: readonly WorkRow[], known: ReadonlySet<string>): readonly WorkRow[] {
    const isNew = rows.filter(({ request }) => !known.has(request.id))
    const first = (kind: WorkRow['event']) => isNew.filter(({ event }) => event === kind).slice(0, pollLimit)
    return [...first('search'), ...first('upload')]
  }

  async function* streamRows(poll: PendingPoll, signal: AbortSignal): AsyncGenerator<string, void> {
    const { device } = poll
    const sent = new Set<string>()
    const read = async () => {
      const rows = await listWork(device.id, sent.size)
      const open = new Set(rows.map(({ request }) => request.id))
      // What ended is forgotten; an upload that broke off is listed again, and sent again.
      for (const id of sent) if (!open.has(id)) sent.delete(id)
      return newOf(rows, sent)
    }
    await note(device, {})
    const leave = attend(device)
    try {
      while (!signal.aborted && polls.hasRoom(device.id)) {
        const rows = await readPending(
          polls,
          { ...poll, waitSeconds: pingSeconds, signal: () => signal },
          read,
        )
        for (const { event, request } of rows) {
          sent.add(request.id)
          yield `event: ${event}\ndata: ${JSON.stringify(request)}\n\n`
        }
        if (rows.length > 0) continue
        await poll.assertKey()
        yield `event: ping\ndata: ${JSON.stringify({ now: clock().at })}\n\n`
      }
    } finally {
      leave()
    }
  }

  return {
    /** Notes that the device is there, and returns what it does not have; held while there is nothing, if it may be. */
    async takeWork(
      poll: PendingPoll,
      {
        metadata,
        working = [],
      }: { readonly metadata: DeviceMetadata; readonly working?: readonly string[] | undefined },
    ): Promise<ReplyOf<DeviceCloudOperations['takeWork']>> {
      const { device } = poll
      const known = new Set(working)
      await note(device, metadata)
      const leave = poll.waitSeconds ? attend(device) : undefined
      try {
        const read = async () => newOf(await listWork(device.id, known.size), known)
        const rows = await readPending(polls, poll, read)
        return {
          searches: rows.flatMap((row) => (row.event === 'search' ? [row.request] : [])),
          uploads: rows.flatMap((row) => (row.event === 'upload' ? [row.request] : [])),
          now: clock().at,
        }
      } finally {
        leave?.()
      }
    },

    /**
     * The same as events, each request once a stream.
     *
     * @throws {HttpError} 429 if the device holds as many requests as it may
     */
    streamWork(poll: PendingPoll, headers: Readonly<Record<string, string>>): PlainReply {
      if (!polls.hasRoom(poll.device.id)) {
        const reason =
          'Streaming work failed: this device has too many open requests. Close another one first.'
        throw rateLimited(reason, 10_000)
      }
      const ending = { keepaliveMs: 2 * pingSeconds * 1000, signal: poll.signal() }
      return toEventReply(
        toEventStream((left) => streamRows(poll, left), ending),
        headers,
      )
    },
  }
}
