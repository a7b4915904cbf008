import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { all, compileStatement } from '@homeward/kit/sql'
import type { Read } from '@homeward/kit/postgres'
import type { StoredDevice } from '../../ports/device-store.ts'
import { type DeviceRow, toStoredDevice } from '../../sql/device-row.ts'
import { nobody } from '../../sql/retention-tables.ts'
import { type CloudTables, deviceColumns } from '../../sql/schema.ts'

/** What a store asks its first database about devices that the presence database names. */
export interface DevicesByIds {
  /** The owners of the devices that exist and were not deleted, by id. */
  findOwners(deviceIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Devices of one owner, by id. */
  findDevices(owner: string, deviceIds: readonly string[]): Promise<ReadonlyMap<string, StoredDevice>>
}

/** Makes {@link DevicesByIds}: one statement each. */
export function createDevicesByIds(db: Kysely<CloudTables>, read: Read): DevicesByIds {
  const owners = compileStatement<{ ids: readonly string[] }, { id: string; owner: string }>(
    'read',
    ({ ids }) => ({
      compile: () =>
        sql<{ id: string; owner: string }>`select id, owner from devices
          where id = any(${ids}::text[]) and owner <> ${sql.lit(nobody)}`.compile(db),
    }),
  )
  const devices = compileStatement<{ owner: string; ids: readonly string[] }, DeviceRow>(
    'read',
    ({ owner, ids }) =>
      db
        .selectFrom('devices')
        .select(deviceColumns)
        .where(sql<boolean>`id = any(${ids}::text[])`)
        .where('owner', '=', owner),
  )
  return {
    async findOwners(ids) {
      if (ids.length === 0) return new Map()
      const rows = await read(() => all(owners, { ids }))
      return new Map(rows.map(({ id, owner }) => [id, owner]))
    },
    async findDevices(owner, ids) {
      if (ids.length === 0) return new Map()
      const rows = await read(() => all(devices, { owner, ids }))
      return new Map(rows.map((row) => [row.id, toStoredDevice(row)]))
    },
  }
}
