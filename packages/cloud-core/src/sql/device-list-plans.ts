import type { Kysely } from 'kysely'
import { all, compileStatement, first, limitTo, type Statement } from '@homeward/kit/sql'
import type { DeviceCondition, OnlineWindow, StoredDevice } from '../ports/device-store.ts'
import type { Page, PagePosition, PageRequest } from '../ports/page.ts'
import {
  compileDeviceCount,
  compileDeviceList,
  compileDevicePlaces,
  type DeviceListArgs,
  type DeviceListShape,
  toDeviceListArgs,
  toDeviceListShape,
} from './device-lists.ts'
import { toStoredDevice } from './device-row.ts'
import type { SqlDialect } from './dialect.ts'
import { toPage } from './page.ts'
import type { Plan } from './plan.ts'
import type { CloudTables } from './schema.ts'

/** Devices of a label that are counted at the most: beyond, labels count as equally frequent. */
const enoughToCompare = 10_000

/** The verbs of `DeviceStore` that read many devices, as plans: one statement each, and one for each of several labels. */
export function createDeviceListPlans(db: Kysely<CloudTables>, dialect: SqlDialect) {
  const listOf = rememberShapes((shape) => compileDeviceList(db, dialect, shape))
  const placesOf = rememberShapes((shape) => compileDevicePlaces(db, dialect, shape))
  const countOf = rememberShapes((shape) => compileDeviceCount(db, dialect, shape))
  const countLabel = compileLabelCount(db)

  /** The same filter with the rarest label first: the list is read off that one. */
  function* rarestFirst(owner: string, filter: DeviceCondition): Plan<DeviceCondition> {
    const { labels = [] } = filter
    if (labels.length < 2) return filter
    const counts: { label: string; count: number }[] = []
    for (const label of labels) {
      const row = yield* first(countLabel, { owner, label, limit: enoughToCompare })
      counts.push({ label, count: row?.count ?? 0 })
    }
    const sorted = counts.toSorted((a, b) => a.count - b.count)
    return { ...filter, labels: sorted.map(({ label }) => label) }
  }

  return {
    *listDevices(
      owner: string,
      filter: DeviceCondition,
      page: PageRequest,
      online: OnlineWindow,
    ): Plan<Page<StoredDevice>> {
      const statement = listOf(toDeviceListShape(filter, page.after !== undefined))
      const sorted = yield* rarestFirst(owner, filter)
      const rows = yield* all(statement, toDeviceListArgs(owner, sorted, online, page))
      return toPage(rows, page.limit, toStoredDevice)
    },

    /** Where the devices stand that `listDevices` would give. */
    *listPlaces(
      owner: string,
      filter: DeviceCondition,
      page: PageRequest,
      online: OnlineWindow,
    ): Plan<Page<PagePosition>> {
      const statement = placesOf(toDeviceListShape(filter, page.after !== undefined))
      const sorted = yield* rarestFirst(owner, filter)
      const rows = yield* all(statement, toDeviceListArgs(owner, sorted, online, page))
      return toPage(rows, page.limit, (row) => row)
    },

    *countDevices(owner: string, filter: DeviceCondition, online: OnlineWindow): Plan<number> {
      const statement = countOf(toDeviceListShape(filter, false))
      const sorted = yield* rarestFirst(owner, filter)
      const row = yield* first(statement, toDeviceListArgs(owner, sorted, online))
      return row?.total ?? 0
    },
  }
}

function compileLabelCount(db: Kysely<CloudTables>) {
  return compileStatement<{ owner: string; label: string; limit: number }, { count: number }>(
    'read',
    ({ owner, label, limit }) =>
      db
        .selectFrom(
          db
            .selectFrom('device_labels')
            .select('device_id')
            .where('owner', '=', owner)
            .where('label', '=', label)
            .limit(limitTo(limit))
            .as('found'),
        )
        .select((count) => count.fn.countAll<number>().as('count')),
  )
}

/** Keeps the statement of each shape once it was built. */
function rememberShapes<Row>(
  compile: (shape: DeviceListShape) => Statement<DeviceListArgs, Row>,
): (shape: DeviceListShape) => Statement<DeviceListArgs, Row> {
  const known = new Map<string, Statement<DeviceListArgs, Row>>()
  return (shape) => {
    const key = JSON.stringify(shape)
    const statement = known.get(key) ?? compile(shape)
    known.set(key, statement)
    return statement
  }
}
