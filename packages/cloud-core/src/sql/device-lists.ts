import type { DeviceStatus } from '@homeward/contract/device-cloud'
import type { Kysely, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, limitTo } from '@homeward/kit/sql'
import { foldText } from '../devices/search-text.ts'
import type { DeviceCondition, OnlineWindow } from '../ports/device-store.ts'
import type { PagePosition, PageRequest } from '../ports/page.ts'
import type { DeviceRow } from './device-row.ts'
import type { SqlDialect } from './dialect.ts'
import type { CloudTables } from './schema.ts'
import { deviceColumns } from './schema.ts'

/** What a list of devices filters by; each shape is a statement of its own. */
export interface DeviceListShape {
  readonly labels: number
  readonly type: boolean
  readonly platform: boolean
  readonly status: DeviceStatus | undefined
  readonly text: boolean
  readonly ids: boolean
  readonly after: boolean
}

/** Arguments of a list; which of them count depends on its {@link DeviceListShape}. */
export interface DeviceListArgs {
  readonly owner: string
  readonly type: string
  readonly platform: string
  readonly text: string
  /** JSON: a list. */
  readonly ids: string
  /** Heartbeats from here on make a device `online`, in milliseconds since the epoch. */
  readonly fromMs: number
  readonly untilMs: number
  readonly afterCreatedAt: string
  readonly afterId: string
  /** One more than the page holds. */
  readonly limit: number
  readonly [label: `label${number}`]: string
}

/** The shape that a filter asks for. */
export function toDeviceListShape(filter: DeviceCondition, after: boolean): DeviceListShape {
  const { labels = [], type, platform, status, text, ids } = filter
  return {
    labels: labels.length,
    type: type !== undefined,
    platform: platform !== undefined,
    status,
    text: text !== undefined,
    ids: ids !== undefined,
    after,
  }
}

/** Arguments of a list. */
export function toDeviceListArgs(
  owner: string,
  filter: DeviceCondition,
  online: OnlineWindow,
  page?: PageRequest,
): DeviceListArgs {
  const { labels = [], type = '', platform = '', text = '', ids = [] } = filter
  return {
    owner,
    type,
    platform,
    text: foldText(text),
    ids: JSON.stringify(ids),
    fromMs: Date.parse(online.from),
    untilMs: Date.parse(online.until),
    afterCreatedAt: page?.after?.createdAt ?? '',
    afterId: page?.after?.id ?? '',
    limit: (page?.limit ?? 0) + 1,
    ...Object.fromEntries(labels.map((label, index) => [`label${index}`, label])),
  }
}

/** Devices that match, newest first. */
export function compileDeviceList(db: Kysely<CloudTables>, dialect: SqlDialect, shape: DeviceListShape) {
  return compileList<DeviceRow>(db, dialect, shape, columns)
}

/** Where devices that match stand in the list, newest first. */
export function compileDevicePlaces(db: Kysely<CloudTables>, dialect: SqlDialect, shape: DeviceListShape) {
  return compileList<PagePosition>(db, dialect, shape, sql`devices.id, devices.created_at as "createdAt"`)
}

function compileList<Row>(
  db: Kysely<CloudTables>,
  dialect: SqlDialect,
  shape: DeviceListShape,
  selected: RawBuilder<unknown>,
) {
  return compileStatement<DeviceListArgs, Row>('read', (slots) => {
    const { source, place, conditions } = select(dialect, shape, slots)
    return {
      compile: () =>
        sql<Row>`select ${selected} from ${source} where ${sql.join(conditions, sql` and `)}
          order by ${place.createdAt} desc, ${place.id} desc limit ${limitTo(slots.limit)}`.compile(db),
    }
  })
}

/** How many devices match. */
export function compileDeviceCount(db: Kysely<CloudTables>, dialect: SqlDialect, shape: DeviceListShape) {
  return compileStatement<DeviceListArgs, { total: number }>('read', (slots) => ({
    compile: () => sql<{ total: number }>`select ${countOf(dialect, shape, slots)} as total`.compile(db),
  }))
}

function countOf(dialect: SqlDialect, shape: DeviceListShape, slots: DeviceListArgs): RawBuilder<unknown> {
  const { anyOf } = dialect
  const isTogether = shape.status !== undefined && anyOf !== undefined
  const { source, conditions } = select(dialect, isTogether ? { ...shape, status: undefined } : shape, slots)
  const rows = sql`from ${source} where ${sql.join(conditions, sql` and `)}`
  const all = sql`(select count(*) ${rows})`
  if (!isTogether) return all
  const online = sql`(select count(*) from presence
    where presence.device_id = ${anyOf(sql`select devices.id ${rows}`)} and ${isFresh(slots)})`
  return shape.status === 'online' ? online : sql`${all} - ${online}`
}

const columns = sql.join(
  deviceColumns.map((column) => {
    if (typeof column !== 'string') return column
    const [name = column, alias] = column.split(' as ')
    return alias === undefined ? sql.ref(name) : sql`${sql.ref(name)} as ${sql.ref(alias)}`
  }),
)

/**
 * Where the rows come from, in the order of the list, and what must hold for them. A list by label is read off the labels:
 * they hold the place of their device, so the order of both is the same.
 */
function select(dialect: SqlDialect, shape: DeviceListShape, slots: DeviceListArgs) {
  const byLabel = shape.labels > 0
  const place = byLabel
    ? { createdAt: sql.ref('first_label.created_at'), id: sql.ref('first_label.device_id') }
    : { createdAt: sql.ref('devices.created_at'), id: sql.ref('devices.id') }
  const source = byLabel ? sql`device_labels as first_label cross join devices` : sql`devices`
  const conditions = [
    ...(byLabel
      ? [
          sql`first_label.owner = ${slots.owner} and first_label.label = ${slots.label0}`,
          sql`devices.id = first_label.device_id`,
        ]
      : [sql`devices.owner = ${slots.owner}`]),
    ...otherLabels(shape, slots, place),
    ...(shape.type ? [sql`devices.type = ${slots.type}`] : []),
    ...(shape.platform ? [sql`devices.platform = ${slots.platform}`] : []),
    ...(shape.status === undefined ? [] : [hasStatus(shape.status, slots)]),
    ...(shape.text ? [dialect.contains(sql.ref('devices.search_text'), slots.text)] : []),
    ...(shape.ids ? [dialect.isAmong(place.id, slots.ids)] : []),
    ...(shape.after
      ? [sql`(${place.createdAt}, ${place.id}) < (${slots.afterCreatedAt}, ${slots.afterId})`]
      : []),
  ]
  return { source, place, conditions }
}

function otherLabels(
  shape: DeviceListShape,
  slots: DeviceListArgs,
  place: { createdAt: RawBuilder<unknown>; id: RawBuilder<unknown> },
): RawBuilder<unknown>[] {
  return Array.from(
    { length: Math.max(0, shape.labels - 1) },
    (_, index) => sql`exists (select 1 from device_labels as other
      where other.owner = ${slots.owner} and other.label = ${slots[`label${index + 1}`]}
        and other.created_at = ${place.createdAt} and other.device_id = ${place.id})`,
  )
}

/** Whether a device has a status. This and {@link isFresh} know where it stands when a device was last seen. */
function hasStatus(status: DeviceStatus, slots: DeviceListArgs): RawBuilder<unknown> {
  // A value, not a join: a planner would read the heartbeats of all owners for one.
  const isOnline = sql`(select ${isFresh(slots)} from presence where presence.device_id = devices.id)`
  return status === 'online' ? isOnline : sql`${isOnline} is not true`
}

const isFresh = ({ fromMs, untilMs }: DeviceListArgs) =>
  sql`presence.last_seen_ms between ${fromMs} and ${untilMs}`
