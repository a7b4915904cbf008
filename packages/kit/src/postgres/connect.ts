import type { ConnectionOptions as TlsOptions } from 'node:tls'
import type { ClientConfig } from 'pg'
import { createOptionCheck, timerFrom, integerFrom } from '../check-options.ts'
import { SqlFailure } from '../sql/sql-failure.ts'
import { longestTimerMs } from '../waiting/timers.ts'
import type { Queryable } from './session.ts'

/** Address of the database and settings of the connections. */
export interface ConnectionSettings {
  /**
   * Address such as `postgres://user:password@host:5432/database`. Missing parts come from environment variables, as
   * with `psql`: `PGHOST`, `PGUSER`, `PGPASSWORD`, ...
   *
   * @default the environment alone
   */
  readonly connectionString?: string
  /**
   * Address for notifications and schema upgrades, if `connectionString` leads to PgBouncer. In transaction mode,
   * PgBouncer does not pass notifications on.
   *
   * @default `connectionString`
   */
  readonly directConnectionString?: string
  /** Returns the password for each new connection, for passwords that expire. */
  readonly password?: () => string | Promise<string>
  /**
   * TLS options, if the connection string does not contain them (`?sslmode=verify-full`).
   *
   * @default as the connection string says
   */
  readonly ssl?: boolean | TlsOptions
  /** Schema of the tables. Created if missing. */
  readonly schema?: string
  /** Maximum number of connections. One more is used for LISTEN. */
  readonly maxConnections?: number
  /** Time limit for a new connection, in milliseconds. @default 10000 */
  readonly connectTimeoutMs?: number
  /** Time limit for a statement, in milliseconds. @default 30000 */
  readonly statementTimeoutMs?: number
  /** Application name of the connections, which the server shows in `pg_stat_activity`. */
  readonly applicationName?: string
}

/** Defaults of a package for missing connection settings. */
export interface ConnectionDefaults {
  readonly schema: string
  readonly maxConnections: number
  /** Minimum number of connections that the package needs. */
  readonly leastConnections: number
  readonly applicationName: string
}

/** A connection of the pool, usable until released. */
export interface PooledConnection extends Queryable {
  /** Runs statements without parameters. */
  query(text: string): Promise<unknown>
  /** Runs one statement, as {@link Queryable} does. */
  query(...config: Parameters<Queryable['query']>): ReturnType<Queryable['query']>
  /** Returns the connection to the pool. @param isBroken whether to close the connection instead of reusing it */
  release(isBroken?: boolean): void
}

/** A connection outside the pool: the part of `pg`'s `Client` that is used. */
export interface OwnConnection extends Queryable {
  /** Connects. Must be called once. */
  connect(): Promise<unknown>
  /** Runs several statements without parameters, or one with parameters. */
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[]; rowCount: number | null }>
  /** Runs one statement, as {@link Queryable} does. */
  query(...config: Parameters<Queryable['query']>): ReturnType<Queryable['query']>
  /** Adds a listener for errors or for notifications of other connections. */
  on(event: 'error', listener: (error: Error) => void): unknown
  /** Adds a listener for errors or for notifications of other connections. */
  on(event: 'notification', listener: (message: { payload?: string | undefined }) => void): unknown
  /** Adds a listener for the end of the connection. */
  once(event: 'end', listener: () => void): unknown
  /** Ends the connection. */
  end(): Promise<void>
}

/** Limits of one connection, in milliseconds; 0 means no limit. */
export interface OwnConnectionLimits {
  /** Time limit that the server applies to a statement. */
  readonly statement_timeout?: number
  /** Time limit that the client applies to a query. */
  readonly query_timeout?: number
}

/** The pool and functions that {@link connect} returns. */
export interface Connections {
  readonly schema: string
  readonly maxConnections: number
  readonly pool: { connect(): Promise<PooledConnection>; end(): Promise<void> }
  /** Creates a connection outside the pool, not yet connected. */
  createClient(changes?: OwnConnectionLimits): OwnConnection
  /** Stops sending startup parameters with new connections, because PgBouncer rejects unknown ones. */
  leaveOutParameters(): void
}

const attempt = 'Opening Postgres failed'
const checkOptions = createOptionCheck(
  (what, fault) => new SqlFailure('invalid', `${what} failed: ${fault}.`),
)

/**
 * Creates the connection pool. The first query connects.
 *
 * @throws {SqlFailure} `invalid` if a setting is invalid, `unavailable` if `pg` is not installed.
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
