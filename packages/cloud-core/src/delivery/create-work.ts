import { HttpError } from '@homeward/contract/handler'
import { deviceNotFound, type CloudContext, type UserCall } from '../cloud-context.ts'
import { repeatedReply, toOnce } from '../idempotency/once.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'

/** Searches or upload requests to create. */
export interface NewWork<Reply> {
  readonly operation: 'createSearches' | 'createUploads'
  /** What the caller sent, to tell a repeat from another request under the same key. */
  readonly request: unknown
  readonly reply: Reply
  readonly nowMs: number
  readonly deviceIds: readonly string[]
  /** Whether rows of the group are still to be made. */
  readonly isPartial: boolean
  readonly entries: readonly NewAuditEntry[]
  insert(once: IdempotencyRecord | undefined): Promise<CreateOutcome | { readonly kind: 'unknown_device' }>
  /** Tells the host of each piece, once it is there. */
  tell(): void
}

/** Creates work for all devices or for none, and once under one idempotency key; then everybody hears of it (C20). */
export async function createWork<Reply>(
  { polls, audit, groupWork }: Pick<CloudContext, 'polls' | 'audit' | 'groupWork'>,
  { userId, idempotencyKey }: UserCall,
  work: NewWork<Reply>,
): Promise<Reply> {
  const { operation, request, reply, nowMs, deviceIds, entries } = work
  const scope = JSON.stringify([userId, operation])
  const once = toOnce(idempotencyKey, { scope, request, reply: JSON.stringify(reply), nowMs })
  const outcome = await work.insert(once)
  if (outcome.kind === 'unknown_device') throw deviceNotFound()
  const repeated = repeatedReply(outcome, once)
  // It was written above, by the first of the requests.
  if (repeated !== undefined) return JSON.parse(repeated) as Reply
  polls.announce(deviceIds)
  if (work.isPartial) groupWork.wake()
  work.tell()
  audit.tell(entries)
  return reply
}

/** A device that matches a filter may be deleted before its work is stored: then the filter is asked again. */
export async function whileDevicesChange<Reply>(
  { filter }: { readonly filter?: unknown },
  create: () => Promise<Reply>,
): Promise<Reply> {
  for (let tries = 1; filter !== undefined && tries < 5; tries += 1) {
    try {
      return await create()
    } catch (error) {
      if (!(error instanceof HttpError && error.status === 404)) throw error
    }
  }
  return create()
}
