import { createHash } from 'node:crypto'

/**
 * The locks of a write, held until its commit.
 *
 * A write must lock everything that decides its result and everything that it writes in an order of its own. It then
 * behaves as if it ran alone.
 */
export interface Locks {
  /** Exclusive for this write. */
  readonly alone?: readonly string[]
  /** Shared by the writes of this transaction, in any order. */
  readonly joint?: readonly string[]
  /** Shared by all writes that use the lock in this way. */
  readonly shared?: readonly string[]
}

/** Which locks this process holds, so that its writes do not wait for each other with a connection in hand. */
interface LockTable {
  /** Whether nobody holds what these contradict. */
  isFree(locks: Locks): boolean
  take(locks: Locks): void
  release(locks: Locks): void
}

/** Makes an empty {@link LockTable}. */
export function createLockTable(): LockTable {
  const alone = new Map<string, number>()
  const shared = new Map<string, number>()
  const add = (counts: Map<string, number>, keys: readonly string[] = [], by: number) => {
    for (const key of keys) {
      const count = (counts.get(key) ?? 0) + by
      if (count === 0) counts.delete(key)
      else counts.set(key, count)
    }
  }
  const isUnused = (keys: readonly string[] = []) => keys.every((key) => !alone.has(key) && !shared.has(key))
  return {
    isFree: (locks) =>
      isUnused(locks.alone) && isUnused(locks.joint) && (locks.shared ?? []).every((key) => !alone.has(key)),
    take: (locks) => {
      add(alone, locks.alone, 1)
      add(alone, locks.joint, 1)
      add(shared, locks.shared, 1)
    },
    release: (locks) => {
      add(alone, locks.alone, -1)
      add(alone, locks.joint, -1)
      add(shared, locks.shared, -1)
    },
  }
}

/**
 * Starts a transaction with a time limit. Without the limit, a process that is suspended during a transaction would
 * block all others.
 */
export const begin = 'begin; set local idle_in_transaction_session_timeout = 5000'

/**
 * Begins a transaction and takes the locks of several writes, in one message to the server. All take them in the same
 * order, so no two transactions wait for each other.
 */
export function toBegin(namespace: string, locksOfAll: readonly Locks[]): string {
  const modes = new Map<bigint, 'exclusive' | 'shared'>()
  for (const { alone = [], joint = [], shared = [] } of locksOfAll) {
    for (const key of [...alone, ...joint]) modes.set(toLockNumber(namespace, key), 'exclusive')
    for (const key of shared) {
      const number = toLockNumber(namespace, key)
      modes.set(number, modes.get(number) ?? 'shared')
    }
  }
  if (modes.size === 0) return begin
  const calls = [...modes]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([number, mode]) => `pg_advisory_xact_lock${mode === 'exclusive' ? '' : '_shared'}(${number})`)
  return `${begin}; select ${calls.join(', ')}`
}

/** Returns the number of a lock of one schema. All advisory locks of a database share one range of numbers. */
export function toLockNumber(namespace: string, key: string): bigint {
  return createHash('sha256').update(`homeward ${namespace} ${key}`).digest().readBigInt64BE()
}
