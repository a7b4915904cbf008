import type { SearchGroupStatus } from '@homeward/contract/device-cloud'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { compileStatement, limitTo, type Statement } from '@homeward/kit/sql'
import { foldText } from '../devices/search-text.ts'
import type { GroupFilter } from '../ports/group-store.ts'
import type { PageRequest } from '../ports/page.ts'
import type { SqlDialect } from './dialect.ts'
import type { ShownGroupRow } from './group-row.ts'
import { shownGroups } from './group-statements.ts'
import type { CloudTables } from './schema.ts'

/** What a list of groups filters by; each shape is a statement of its own. */
interface GroupListShape {
  readonly saved: boolean
  readonly words: number
  readonly from: boolean
  readonly to: boolean
  readonly status: SearchGroupStatus | undefined
  readonly after: boolean
}

/** Arguments of a list; which of them count depends on its shape. */
interface GroupListArgs {
  readonly owner: string
  readonly savedSearchId: string
  readonly from: string
  readonly to: string
  readonly now: string
  readonly afterCreatedAt: string
  readonly afterId: string
  /** One more than the page holds. */
  readonly limit: number
  readonly [word: `word${number}`]: string
}

/** Builds lists of groups: a statement for each filter that was asked for. */
export function rememberGroupLists(db: Kysely<CloudTables>, dialect: SqlDialect) {
  const known = new Map<string, Statement<GroupListArgs, ShownGroupRow>>()
  return (filter: GroupFilter, isAfter: boolean): Statement<GroupListArgs, ShownGroupRow> => {
    const { savedSearchId, words = [], from, to, status } = filter
    const shape: GroupListShape = {
      saved: savedSearchId !== undefined,
      words: words.length,
      from: from !== undefined,
      to: to !== undefined,
      status,
      after: isAfter,
    }
    const key = JSON.stringify(shape)
    const statement = known.get(key) ?? compileGroupList(db, dialect, shape)
    known.set(key, statement)
    return statement
  }
}

/** Arguments of a list of groups. */
export function toGroupListArgs(
  owner: string,
  { savedSearchId = '', words = [], from = '', to = '' }: GroupFilter,
  page: PageRequest,
  now: string,
): GroupListArgs {
  return {
    owner,
    savedSearchId,
    from,
    to,
    now,
    afterCreatedAt: page.after?.createdAt ?? '',
    afterId: page.after?.id ?? '',
    limit: page.limit + 1,
    ...Object.fromEntries(words.map((word, index) => [`word${index}`, foldText(word)])),
  }
}

function compileGroupList(db: Kysely<CloudTables>, dialect: SqlDialect, shape: GroupListShape) {
  return compileStatement<GroupListArgs, ShownGroupRow>('read', (slots) => {
    let query = shownGroups(db, slots.owner)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limitTo(slots.limit))
    if (shape.saved) query = query.where('saved_search_id', '=', slots.savedSearchId)
    if (shape.from) query = query.where('created_at', '>=', slots.from)
    if (shape.to) query = query.where('created_at', '<', slots.to)
    if (shape.after)
      query = query.where((eb) =>
        eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(slots.afterCreatedAt, slots.afterId)),
      )
    for (let index = 0; index < shape.words; index += 1)
      query = query.where(dialect.contains(sql.ref('search_text'), slots[`word${index}`]!))
    if (shape.status === 'pending') query = query.where(isPending(slots.now))
    if (shape.status === 'settled') query = query.where(sql<boolean>`not ${isPending(slots.now)}`)
    return query
  })
}

/** Whether a search of the group waits for its device, or is not made yet. */
const isPending = (now: string) =>
  sql<boolean>`(
    (work_groups.unmade > 0 and work_groups.expires_at > ${now})
    or exists (select 1 from waiting_searches as waiting where waiting.group_id = work_groups.id
      and waiting.expires_at > ${now})
  )`
