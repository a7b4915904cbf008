import type { Compilable, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { TriggerLanguage } from '@homeward/kit/sql'
import type { CloudTables } from './schema.ts'

/**
 * How many searches of a group there are, by their stored status. Triggers change the counts in the transaction of the
 * change itself. They are apart from the group, so that a report locks no row that anything else waits for.
 */
export interface GroupCountsTable {
  group_id: string
  searches: number
  pending: number
  failed: number
  files: number
}

/**
 * Searches that wait for their device. On Postgres triggers keep a table, so that no index of `searches` holds a column
 * that a report changes, and the report stays in its page. On SQLite, where that buys nothing, it is a view.
 */
export interface WaitingSearchesTable {
  id: string
  device_id: string
  owner: string
  group_id: string | null
  created_at: string
  expires_at: string
}

const waitingColumns = 'device_id, created_at, id, owner, group_id, expires_at'

/** Counts in the row of the group, and fewer indexes on work, which reports and leases change less often. */
export function buildGroupCounts(
  db: Kysely<CloudTables>,
  language: TriggerLanguage,
): readonly (string | Compilable)[] {
  return [
    ...buildCounts(db),
    ...(language === 'sqlite'
      ? [`create view waiting_searches as select ${waitingColumns} from searches where status = 'pending'`]
      : buildWaiting(db)),
    ...rebuildIndexes(db, language),
    ...(language === 'sqlite' ? sqliteTriggers() : postgresTriggers()),
  ]
}

function buildCounts({ schema }: Kysely<CloudTables>): readonly (string | Compilable)[] {
  return [
    schema
      .createTable('group_counts')
      .addColumn('group_id', 'text', (column) =>
        column.primaryKey().references('work_groups.id').onDelete('cascade'),
      )
      .addColumn('searches', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('pending', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('failed', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('files', 'integer', (column) => column.notNull().defaultTo(0)),
    `insert into group_counts (group_id, searches, pending, failed, files)
      select work_groups.id, count(searches.id),
        coalesce(sum(case searches.status when 'pending' then 1 else 0 end), 0),
        coalesce(sum(case searches.status when 'failed' then 1 else 0 end), 0),
        coalesce(sum(searches.files_found), 0)
      from work_groups left join searches on searches.group_id = work_groups.id
      where work_groups.kind = 'search' group by work_groups.id`,
  ]
}

function buildWaiting({ schema }: Kysely<CloudTables>): readonly (string | Compilable)[] {
  return [
    schema
      .createTable('waiting_searches')
      .addColumn('device_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('group_id', 'text')
      .addColumn('expires_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('waiting_searches_pk', ['device_id', 'created_at', 'id']),
    `insert into waiting_searches select ${waitingColumns} from searches where status = 'pending'`,
    schema.createIndex('waiting_owner').on('waiting_searches').columns(['owner', 'created_at', 'id']),
    schema.createIndex('waiting_group').on('waiting_searches').columns(['group_id', 'created_at', 'id']),
    schema.createIndex('waiting_expiring').on('waiting_searches').column('expires_at'),
    // Room for what reports add: the new version of a row fits in its page, also where many come in one statement.
    'alter table searches set (fillfactor = 40)',
    'alter table uploads set (fillfactor = 60)',
    'alter table work_groups set (fillfactor = 80)',
    'alter table group_counts set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)',
    'alter table waiting_searches set (autovacuum_vacuum_scale_factor = 0.05)',
  ]
}

const selectors = ['owner', 'device_id', 'group_id'] as const

function rebuildIndexes({ schema }: Kysely<CloudTables>, language: TriggerLanguage): readonly Compilable[] {
  const waiting = [...selectors.map((selector) => `searches_pending_${selector}`), 'searches_expiring']
  const dropped = [
    'searches_found',
    'searches_ended',
    ...selectors.flatMap((selector) => [`searches_failed_${selector}`, `uploads_pending_${selector}`]),
    ...(language === 'postgres' ? waiting : []),
  ]
  const error = sql.ref('error')
  return [
    ...dropped.map((name) => schema.dropIndex(name)),
    // By columns that a search without an error has from its beginning: its report changes none of them.
    schema.createIndex('searches_ended').on('searches').columns(['results_state', 'created_at']),
    ...selectors.flatMap((selector) => [
      schema
        .createIndex(`searches_failed_${selector}`)
        .on('searches')
        .columns([selector, 'created_at', 'id'])
        .where(error, 'is not', null),
      // Without the lease, which changes while the file is on its way.
      schema
        .createIndex(`uploads_pending_${selector}`)
        .on('uploads')
        .columns([selector, 'status', 'created_at', 'id', 'expires_at'])
        .where(sql.ref('status'), '=', sql.lit('pending')),
    ]),
  ]
}

/** Sets of the counts that rows add, or take away. */
const counted = (row: 'new' | 'old', sign: '+' | '-') =>
  `update group_counts set searches = searches ${sign} 1, pending = pending ${sign} (${row}.status = 'pending'),
    failed = failed ${sign} (${row}.status = 'failed'), files = files ${sign} ${row}.files_found
    where group_id = ${row}.group_id;`

function sqliteTriggers(): readonly string[] {
  return [
    `create trigger group_counts_begin after insert on work_groups when new.kind = 'search'
      begin insert into group_counts (group_id) values (new.id); end`,
    `create trigger group_counts_added after insert on searches begin ${counted('new', '+')} end`,
    `create trigger group_counts_removed after delete on searches begin ${counted('old', '-')} end`,
    `create trigger group_counts_moved after update of group_id on searches when old.group_id is not new.group_id
      begin ${counted('old', '-')} ${counted('new', '+')} end`,
    `create trigger group_counts_changed after update of status, files_found on searches
      when old.group_id = new.group_id
      begin update group_counts set
        pending = pending + (new.status = 'pending') - (old.status = 'pending'),
        failed = failed + (new.status = 'failed') - (old.status = 'failed'),
        files = files + new.files_found - old.files_found
      where group_id = new.group_id; end`,
  ]
}

/** Changes of one statement together: several reports of a group change its counts once, and groups in one order. */
function postgresTriggers(): readonly string[] {
  const tables = {
    insert: { added: 'new table as added' },
    update: { gone: 'old table as gone', added: 'new table as added' },
    delete: { gone: 'old table as gone' },
  } as const
  return [
    functionOf(
      'begin_group_counts',
      '',
      'insert into group_counts (group_id) values (new.id) on conflict do nothing;',
    ),
    `create trigger group_counts_begin after insert on work_groups
      for each row when (new.kind = 'search') execute function begin_group_counts()`,
    ...Object.entries(tables).flatMap(([event, transitions]) => [
      functionOf(`count_searches_${event}`, 'declare change record;', countChanges(transitions)),
      `create trigger group_counts_${event} after ${event} on searches
        referencing ${Object.values(transitions).join(' ')}
        for each statement execute function count_searches_${event}()`,
    ]),
  ]
}

// Plans stay while the tables grow: none may rest on a table that was small.
const functionOf = (name: string, declarations: string, body: string) =>
  `create function ${name}() returns trigger language plpgsql
    set search_path from current set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
    ${declarations} begin ${body} return null; end $body$`

function countChanges(transitions: { readonly gone?: string; readonly added?: string }): string {
  const rows = (
    [
      ['gone', -1],
      ['added', 1],
    ] as const
  ).flatMap(([table, sign]) =>
    table in transitions ? [`select ${sign} as sign, group_id, status, files_found from ${table}`] : [],
  )
  const sum = (value: string) => `sum(case when ${value} then sign else 0 end)`
  return `for change in
      select group_id, sum(sign) as searches, ${sum(`status = 'pending'`)} as pending,
        ${sum(`status = 'failed'`)} as failed, sum(sign * files_found) as files
      from (${rows.join(' union all ')}) as changes where group_id is not null group by group_id
      having sum(sign) <> 0 or ${sum(`status = 'pending'`)} <> 0 or ${sum(`status = 'failed'`)} <> 0
        or sum(sign * files_found) <> 0
      order by group_id
    loop
      update group_counts set searches = searches + change.searches, pending = pending + change.pending,
        failed = failed + change.failed, files = files + change.files where group_id = change.group_id;
    end loop;
    ${
      'gone' in transitions
        ? `delete from waiting_searches as waiting using gone where gone.status = 'pending'
            and waiting.device_id = gone.device_id and waiting.created_at = gone.created_at and waiting.id = gone.id;`
        : ''
    }
    ${
      'added' in transitions
        ? `insert into waiting_searches select ${waitingColumns} from added where status = 'pending';`
        : ''
    }`
}
