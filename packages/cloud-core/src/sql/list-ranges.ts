import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import { limitTo, type Statement } from '@homeward/kit/sql'
import type { PageRequest } from '../ports/page.ts'
import { leaseTimes, type LeaseTimes } from '../uploads/lease-times.ts'

/** Arguments of a listing; which of them count depends on its {@link ListShape}. */
export interface ListArgs extends LeaseTimes {
  owner: string
  deviceId: string
  groupId: string
  id: string
  afterCreatedAt: string
  afterId: string
  /** One more than the page holds. */
  limit: number
}

/** What a listing filters by; each shape is a statement of its own. */
export interface ListShape {
  readonly id: boolean
  readonly device: boolean
  readonly group: boolean
  readonly after: boolean
}

/** Rows with one stored status, or with any, and what else must hold for them. */
export interface StatusRange {
  /** Where else their places are. @default the table itself */
  readonly table?: 'waiting_searches'
  readonly status?: string
  readonly condition?: RawBuilder<unknown>
}

/**
 * Place of the newest rows of all ranges: each range is read off the end of an index on
 * `(owner | device_id | group_id, created_at, id)`, so the cost does not depend on how many rows there are.
 */
export function newestOfRanges(
  table: 'searches' | 'uploads',
  shape: ListShape,
  ranges: readonly StatusRange[],
  slots: ListArgs,
): RawBuilder<{ id: string }> {
  const parts = ranges.map(({ table: other, status, condition }) => {
    const conditions = [
      selector(shape, slots),
      // A literal, not a parameter: that is how the planner sees that a partial index will do.
      ...(status === undefined ? [] : [sql`status = ${sql.lit(status)}`]),
      ...(condition === undefined ? [] : [condition]),
      ...(shape.after ? [sql`(created_at, id) < (${slots.afterCreatedAt}, ${slots.afterId})`] : []),
    ]
    return sql`select * from (select id, created_at from ${sql.table(other ?? table)} where ${sql.join(conditions, sql` and `)}
      order by created_at desc, id desc limit ${limitTo(slots.limit)}) as part`
  })
  return sql<{ id: string }>`(select id from (${sql.join(parts, sql` union all `)}) as parts
    order by created_at desc, id desc limit ${limitTo(slots.limit)})`
}

/** Whose rows a listing is about, besides their owner's. */
interface ListPlace {
  readonly id: string | undefined
  readonly deviceId: string | undefined
  readonly groupId: string | undefined
}

/** The shape that a filter asks for. */
export function toListShape(filter: ListPlace, after: boolean): ListShape {
  return {
    id: filter.id !== undefined,
    device: filter.deviceId !== undefined,
    group: filter.groupId !== undefined,
    after,
  }
}

/** Keeps the statement of each shape and status once it was built. There are a few dozen at the most. */
export function rememberLists<Status extends string, Row>(
  compile: (shape: ListShape, status: Status | undefined) => Statement<ListArgs, Row>,
): (shape: ListShape, status: Status | undefined) => Statement<ListArgs, Row> {
  const known = new Map<string, Statement<ListArgs, Row>>()
  return (shape, status) => {
    const key = `${shape.id} ${shape.device} ${shape.group} ${shape.after} ${status ?? ''}`
    const statement = known.get(key) ?? compile(shape, status)
    known.set(key, statement)
    return statement
  }
}

/** Arguments of a listing. */
export function toListArgs(owner: string, filter: ListPlace, page: PageRequest, now: string): ListArgs {
  return {
    owner,
    deviceId: filter.deviceId ?? '',
    groupId: filter.groupId ?? '',
    id: filter.id ?? '',
    afterCreatedAt: page.after?.createdAt ?? '',
    afterId: page.after?.id ?? '',
    ...leaseTimes(now),
    limit: page.limit + 1,
  }
}

function selector(shape: ListShape, slots: ListArgs): RawBuilder<unknown> {
  // Without the owner: whose the devices are, the outer query asks.
  const conditions = [
    ...(shape.id ? [sql`id = ${slots.id}`] : []),
    ...(shape.device ? [sql`device_id = ${slots.deviceId}`] : []),
    ...(shape.group ? [sql`group_id = ${slots.groupId}`] : []),
    // Work of a group has the time of the group: among the rows of a device that finds it at once.
    ...(shape.device && shape.group
      ? [sql`created_at = (select created_at from work_groups where id = ${slots.groupId})`]
      : []),
  ]
  if (conditions.length === 0) conditions.push(sql`owner = ${slots.owner}`)
  // Of a device that was deleted just now rows may be left, which are not its former owner's any more. As a value, so that
  // the planner reads it row by row.
  if (!shape.id && !shape.device)
    conditions.push(sql`(select devices.owner from devices where devices.id = device_id) = ${slots.owner}`)
  return sql.join(conditions, sql` and `)
}
