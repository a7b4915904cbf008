/** Database whose SQL the triggers use. */
export type TriggerLanguage = 'sqlite' | 'postgres'

/** A row change that is an event. All texts are SQL over `new` and `old`. */
export interface EventTrigger {
  /** Name of the trigger. */
  readonly name: string
  readonly table: string
  readonly on: 'insert' | 'update' | 'delete'
  /** Column whose update is the event. */
  readonly column?: string
  readonly when: string
  /** Type of the event. */
  readonly type: string
  readonly owner: string
  /** Distinguishes this event from others of its type. It becomes part of the event's id. */
  readonly key: string
  readonly subject: string
  /** Time of the event. @default the clock of the database */
  readonly at?: string
  readonly data: Readonly<Record<string, string>>
}

/**
 * Builds triggers that add a delivery to each subscribed webhook, in the statement of the change itself.
 *
 * So a change is never stored without its event, whichever method makes it. A database without webhooks only pays for
 * one read of an empty table.
 */
export function buildEventTriggers(
  triggers: readonly EventTrigger[],
  language: TriggerLanguage,
): readonly string[] {
  return triggers.flatMap((trigger) => (language === 'sqlite' ? toSqlite(trigger) : toPostgres(trigger)))
}

const clocks: { readonly [Language in TriggerLanguage]: string } = {
  sqlite: `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`,
  postgres: `to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
}

function toInsert(trigger: EventTrigger, language: TriggerLanguage): string {
  const { type, key, subject, owner, data, at = clocks[language] } = trigger
  const fields = Object.entries(data).map(([name, value]) => `'${name}', ${value}`)
  const json = language === 'sqlite' ? 'json_object' : 'json_build_object'
  const id = `'evt_${type.replaceAll('.', '_')}_' || ${key}`
  return `insert into webhook_deliveries
      (id, webhook_id, subject, type, data, at, status, attempts, next_at)
    select ${id}, hook.id, ${subject}, '${type}',
      cast(${json}(${fields.join(', ')}) as text), ${at}, 'pending', 0, ''
    from webhooks as hook
    where hook.enabled = 1 and hook.owner = ${owner} and hook.events like '%"${type}"%'
    on conflict (webhook_id, id) do nothing;`
}

function toSqlite(trigger: EventTrigger): readonly string[] {
  const { name, table, on, column, when } = trigger
  const of = column === undefined ? '' : ` of ${column}`
  return [
    `create trigger ${name} after ${on}${of} on ${table} when ${when} begin ${toInsert(trigger, 'sqlite')} end`,
  ]
}

function toPostgres(trigger: EventTrigger): readonly string[] {
  const { name, table, on, column, when } = trigger
  const of = column === undefined ? '' : ` of ${column}`
  return [
    // finds its tables also for who works in another schema, such as an operator
    `create function ${name}() returns trigger language plpgsql set search_path from current as $body$
      begin ${toInsert(trigger, 'postgres')} return null; end
    $body$`,
    `create trigger ${name} after ${on}${of} on ${table}
      for each row when (${when}) execute function ${name}()`,
  ]
}
