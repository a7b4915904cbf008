import type { ConnectionOptions as TlsOptions } from 'node:tls'
import type { ClientConfig } from 'pg'
import { createOptionCheck, timerFrom, integerFrom } from '../check-options.ts'
import { SqlFailure } from '../sql/sql-failure.ts'
import { longestTimerMs } from '../waiting/timers.ts'
import type { Queryable } from './session.ts'

/** Address of the database, and settings of its connections. */
export interface ConnectionSettings {
  /**
   * `postgres://user:password@host:5432/database`. What it leaves out comes from the environment, as with `psql`:
   * `PGHOST`, `PGUSER`, `PGPASSWORD`, ...
   *
   * @default the environment alone
   */
  readonly connectionString?: string
  /**
   * Address for the connections that listen and that bring the schema up to date, if `connectionString` leads to PgBouncer:
   * in transaction mode it passes on no notifications.
   *
   * @default `connectionString`
   */
  readonly directConnectionString?: string
  /** Gives the password for each new connection: for those that are only good for a while. */
  readonly password?: () => string | Promise<string>
  /** TLS, where the connection string does not say it (`?sslmode=verify-full`). @default as the connection string says */
  readonly ssl?: boolean | TlsOptions
  /** Schema of the tables; it is made when missing. */
  readonly schema?: string
  /** Most connections for reading and writing; one more listens. */
  readonly maxConnections?: number
  /** How long to wait for a connection, in milliseconds. @default 10000 */
  readonly connectTimeoutMs?: number
  /** How long a statement may take, in milliseconds. @default 30000 */
  readonly statementTimeoutMs?: number
  /** What the server lists these connections as. */
  readonly applicationName?: string
}

/** What a package takes for settings that are not given. */
export interface ConnectionDefaults {
  readonly schema: string
  readonly maxConnections: number
  /** Fewer connections than these cannot do the package's work. */
  readonly leastConnections: number
  readonly applicationName: string
}

/** A connection of the pool, until it is released. */
export interface PooledConnection extends Queryable {
  /** Runs statements without parameters. */
  query(text: string): Promise<unknown>
  /** Runs one statement, as of {@link Queryable}. */
  query(...config: Parameters<Queryable['query']>): ReturnType<Queryable['query']>
  /** @param isBroken whether it is of no use to anybody any more */
  release(isBroken?: boolean): void
}

/** A connection apart from the pool: a `Client` of `pg`, as far as it is used. */
export interface OwnConnection extends Queryable {
  /** Connects; called once. */
  connect(): Promise<unknown>
  /** Runs statements, one of them with parameters. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>
  /** Runs one statement, as of {@link Queryable}. */
  query(...config: Parameters<Queryable['query']>): ReturnType<Queryable['query']>
  /** Hears what goes wrong, and what other connections notify. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** As above. */
  on(event: 'notification', listener: (message: { payload?: string | undefined }) => void): unknown
  /** Hears the end of the connection. */
  once(event: 'end', listener: () => void): unknown
  /** Ends the connection. */
  end(): Promise<void>
}

/** Limits of one connection, in milliseconds; 0 is none. */
export interface OwnConnectionLimits {
  /** Kept by the server. */
  readonly statement_timeout?: number
  /** Kept by this side. */
  readonly query_timeout?: number
}

/** Everything that {@link connect} gives. */
export interface Connections {
  readonly schema: string
  readonly maxConnections: number
  readonly pool: { connect(): Promise<PooledConnection>; end(): Promise<void> }
  /** A connection apart from the pool, not yet connected. */
  createClient(changes?: OwnConnectionLimits): OwnConnection
  /** Sends no parameters at the start of a connection from now on: PgBouncer refuses those that it does not know. */
  leaveOutParameters(): void
}

const attempt = 'Opening Postgres failed'
const checkOptions = createOptionCheck(
  (what, fault) => new SqlFailure('invalid', `${what} failed: ${fault}.`),
)

/**
 * Makes the pool; the first query connects.
 *
 * @throws {SqlFailure} `invalid` for a setting that cannot work, `unavailable` when `pg` is not installed.
 */
export async function connect(
  settings: ConnectionSettings,
  defaults: ConnectionDefaults,
): Promise<Connections> {
  const { schema = defaults.schema, maxConnections = defaults.maxConnections } = settings
  const { connectTimeoutMs = 10_000, statementTimeoutMs = 30_000 } = settings
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema)) {
    throw new SqlFailure(
      'invalid',
      `${attempt}: "schema" must start with a lowercase letter or underscore and contain only lowercase letters, digits ` +
        'and underscores (at most 40 characters).',
    )
  }
  const given = { maxConnections, connectTimeoutMs, statementTimeoutMs }
  checkOptions('Opening Postgres', given, {
    maxConnections: integerFrom(defaults.leastConnections),
    connectTimeoutMs: timerFrom(0),
    statementTimeoutMs: timerFrom(1),
  })
  const { pg, columnValues } = await load()
  const { connectionString, directConnectionString = connectionString, password, ssl } = settings
  const targetOf = (address: string | undefined) =>
    address === undefined ? {} : toTarget(address, password !== undefined)
  const config: ClientConfig = {
    ...targetOf(connectionString),
    ...(password !== undefined && { password }),
    ...(ssl !== undefined && { ssl }),
    application_name: settings.applicationName ?? defaults.applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    // The server's own limit comes first; this one is for a network that is gone without a word.
    query_timeout: Math.min(longestTimerMs, statementTimeoutMs + 10_000),
    keepAlive: true,
    // A transaction that waited for a lock has to see what was committed meanwhile, whatever the database's own level is.
    options: `-c search_path=${schema} -c default_transaction_isolation=read\\ committed`,
    types: columnValues,
  }
  let withoutParameters = {}
  const pool = new pg.Pool({
    ...config,
    pipeline: true,
    max: maxConnections,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  })
  // A connection that breaks while nobody uses it: the next query makes a new one.
  pool.on('error', () => {})
  // While it is used its queries fail as well; without a listener of its own the process would end. The server may end it
  // in the same packet in which it says that it is ready, before the caller that waits for it could listen.
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    schema,
    maxConnections,
    pool,
    createClient: (changes) =>
      new pg.Client({ ...config, ...targetOf(directConnectionString), ...changes, ...withoutParameters }),
    leaveOutParameters() {
      withoutParameters = { options: undefined, statement_timeout: undefined }
      Object.assign(pool.options, withoutParameters)
    },
  }
}

/**
 * What a connection string says. With a function for the password it is taken apart, or its lack of one would count;
 * `options` would replace ours, which name the schema.
 */
function toTarget(connectionString: string, hasOwnPassword: boolean): ClientConfig {
  const url = URL.canParse(connectionString) ? new URL(connectionString) : undefined
  const refuse = (what: string) => new SqlFailure('invalid', `${attempt}: the connection string ${what}.`)
  if (url?.searchParams.has('options'))
    throw refuse('has the parameter "options". Remove it, and set the option "schema" instead')
  if (!hasOwnPassword) return { connectionString }
  if (url === undefined || url.search !== '')
    throw refuse(
      'must be a URL without parameters when the option "password" is set. Set TLS by the option "ssl"',
    )
  return {
    ...(url.hostname !== '' && { host: url.hostname }),
    ...(url.port !== '' && { port: Number(url.port) }),
    ...(url.username !== '' && { user: decodeURIComponent(url.username) }),
    ...(url.pathname.length > 1 && { database: decodeURIComponent(url.pathname.slice(1)) }),
  }
}

async function load() {
  try {
    const [{ default: pg }, { columnValues }] = await Promise.all([
      import('pg'),
      import('./column-values.ts'),
    ])
    return { pg, columnValues }
  } catch (error) {
    throw new SqlFailure(
      'unavailable',
      `${attempt}: the package "pg" is not installed. Run "npm install pg".`,
      { cause: error },
    )
  }
}
