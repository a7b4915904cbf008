import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import type { PlainReply } from '@homeward/contract/handler'
import { sleep } from '@homeward/kit'
import type { UserCall } from '../context/cloud-context.ts'
import type { DeviceContext } from '../devices/device-context.ts'
import { exportOwner, type OwnerLists } from './export-owner.ts'

/** How long an erasure is waited for before it is answered, in milliseconds. It goes on in any case. */
const waitMs = 20_000

/** What an owner does with everything at once (C31). */
export function createOwnerOperations(
  context: Pick<DeviceContext, 'store' | 'blobs' | 'audit' | 'cleaning' | 'timers'>,
  lists: OwnerLists,
) {
  const { store, blobs, audit, cleaning, timers } = context
  return {
    /** Streams everything that a user has as NDJSON: a line `{type, data}` for each row. */
    async exportOwner(call: UserCall): Promise<PlainReply> {
      await audit.record([audit.entryOf(call, 'owner:exported', {})])
      return exportOwner(lists, { store, blobs }, call)
    },

    /**
     * Erases everything that a user has: keys and tokens first, then rows in batches, then files. It goes on after a crash.
     * Of the audit one entry stays, which says that this was done.
     */
    async eraseOwner(call: UserCall): Promise<ReplyOf<DeviceCloudOperations['eraseOwner']>> {
      const entry = audit.entryOf(call, 'owner:erased', {})
      await store.beginErasure(call.userId, entry)
      audit.tell([entry])
      const waiting = new AbortController()
      await Promise.race([cleaning.run(), sleep(waitMs, waiting.signal, timers)])
      waiting.abort()
      return { success: true, done: await store.isErased(call.userId) }
    },
  }
}
