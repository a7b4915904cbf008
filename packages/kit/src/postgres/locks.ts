import { createHash } from 'node:crypto'

/**
 * What a write keeps from others until it is committed. It makes the write as good as alone: everything that it reads in
 * order to decide, or writes in an order of its own, is under a lock.
 */
export interface Locks {
  /** For this write only. */
  readonly alone?: readonly string[]
  /** For the writes of this transaction, in whatever order they come: they do not disturb each other. */
  readonly joint?: readonly string[]
  /** For all writes that share it. */
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
 * Begins a transaction. Without the time limit, a process that is stopped in the middle would hold up all others for as
 * long as it is stopped.
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

/** The number that stands for a lock of one schema: all advisory locks of a database share one space of numbers. */
export function toLockNumber(namespace: string, key: string): bigint {
  return createHash('sha256').update(`homeward ${namespace} ${key}`).digest().readBigInt64BE()
}
