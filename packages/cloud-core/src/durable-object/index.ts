import { type DurableObjectStorage, openDurableObject } from '@homeward/kit/sqlite'
import type { CloudStore } from '../ports/cloud-store.ts'
import { createStoreOver } from '../sqlite/store-over.ts'

export type { DurableObjectStorage } from '@homeward/kit/sqlite'

/**
 * Creates a store in the SQLite database of a Durable Object, which survives when the object is evicted from memory.
 *
 * The class must use SQLite: `new_sqlite_classes` in the migrations of the Worker. Deleted rows are not overwritten,
 * because the platform does not allow it.
 *
 * @throws {CloudStoreError} `DATABASE_NEWER` if a newer release wrote the database.
 * @example
 * const cloud = createDeviceCloud({ store: createDurableObjectStore(ctx.storage), blobs, sessions })
 */
export function createDurableObjectStore(storage: DurableObjectStorage): CloudStore {
  return createStoreOver(openDurableObject(storage))
}
