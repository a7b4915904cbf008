import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'

const sweepAtOnce = 16

/** The row that answers a repeat; undefined when this is the first time. */
export function findRepeat(
  rows: Map<string, IdempotencyRecord>,
  once: IdempotencyRecord | undefined,
): CreateOutcome | undefined {
  if (once === undefined) return undefined
  const found = rows.get(toKey(once))
  if (found === undefined || found.expiresAt <= once.createdAt) return undefined
  return { kind: 'repeated', fingerprint: found.fingerprint, reply: found.reply }
}

/** Remembers a creation, and forgets some that expired: more than one for each that comes, so the rest is bounded. */
export function addOnce(rows: Map<string, IdempotencyRecord>, once: IdempotencyRecord | undefined): void {
  if (once === undefined) return
  const key = toKey(once)
  rows.delete(key)
  sweep(rows, once.createdAt)
  rows.set(key, { ...once })
}

function sweep(rows: Map<string, IdempotencyRecord>, now: string): void {
  let looked = 0
  for (const [key, row] of rows) {
    if (looked === sweepAtOnce) return
    looked += 1
    rows.delete(key)
    // A row that lives on goes to the back of the queue, so that a long-lived one does not shield those behind it.
    if (row.expiresAt > now) rows.set(key, row)
  }
}

function toKey(once: IdempotencyRecord): string {
  return JSON.stringify([once.scope, once.keyHash])
}
