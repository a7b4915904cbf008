import type { Kysely } from 'kysely'
import { compileStatement, each } from '@homeward/kit/sql'
import type { Plan } from './plan.ts'
import type { CloudTables } from './schema.ts'

/** Tells whether devices all belong to an owner. */
export function createOwnDevicesPlan(db: Kysely<CloudTables>) {
  const find = compileStatement<{ owner: string; deviceId: string }, { id: string }>(
    'read',
    ({ owner, deviceId }) =>
      db.selectFrom('devices').select('id').where('id', '=', deviceId).where('owner', '=', owner),
  )

  return function* ownsDevices(owner: string, work: readonly { readonly deviceId: string }[]): Plan<boolean> {
    const deviceIds = [...new Set(work.map(({ deviceId }) => deviceId))]
    if (deviceIds.length === 0) return true
    const found = yield* each(
      find,
      deviceIds.map((deviceId) => ({ owner, deviceId })),
    )
    return found.length === deviceIds.length
  }
}

/** See {@link createOwnDevicesPlan}. */
export type OwnsDevices = ReturnType<typeof createOwnDevicesPlan>
