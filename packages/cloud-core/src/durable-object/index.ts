import { type DurableObjectStorage, openDurableObject } from '@homeward/kit/sqlite'
import type { CloudStore } from '../ports/cloud-store.ts'
import { createStoreOver } from '../sqlite/store-over.ts'

export type { DurableObjectStorage } from '@homeward/kit/sqlite'

/**
 * Keeps everything in the SQLite database of a Durable Object, so that it survives when the object is evicted from memory.
 * The class must be one with SQLite: `new_sqlite_classes` in the migrations of the Worker.
 *
 * Deleted rows are not overwritten, because the platform does not allow it.
 *
 * @throws {CloudStoreError} `DATABASE_NEWER` when a newer release wrote the database.
 * @example
 * const cloud = createDeviceCloud({ store: createDurableObjectStore(ctx.storage), blobs, sessions })
 */
export function createDurableObjectStore(storage: DurableObjectStorage): CloudStore {
  return createStoreOver(openDurableObject(storage))
}
