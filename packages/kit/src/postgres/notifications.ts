// Named imports, so that tests that fake the global timers do not hold up signals.
import { clearTimeout, setTimeout } from 'node:timers'
import { randomUUID } from 'node:crypto'
import { backoffMs } from '../backoff.ts'
import type { Connections, OwnConnection } from './connect.ts'
import type { SignalCodec } from './payloads.ts'
import { toPayloads, toSignals } from './payloads.ts'
import { toPostgresFailure } from './to-postgres-failure.ts'
import { useConnection } from './use-connection.ts'

const firstPauseMs = 500
const longestPauseMs = 10_000
/** How often an idle connection is tried: one that is gone without a word is noticed after this and the query timeout. */
const heartbeatMs = 20_000
/** Messages that wait to be sent; with more of them, all listeners are told to look. */
const maxWaiting = 2000
/** Bulk signals that wait to be sent; with more of them, only their readers hear that they missed something. */
const maxBulk = 16_000

/** Signals between processes. */
export interface Notifications<Signal> {
  /**
   * Sends committed signals, later if the connection is down. Never fails. If too many wait, all listeners check the
   * database instead.
   */
  send(signals: readonly Signal[]): void
  /** Stops listening and closes the connection. */
  close(): Promise<void>
}

/** Options of {@link openNotifications}. */
export interface NotificationOptions<Signal> {
  /** Provides the connection that listens. */
  readonly connections: Pick<Connections, 'schema' | 'createClient' | 'pool'>
  /** Converts signals to message texts and back. */
  readonly codec: SignalCodec<Signal>
  /** Receives the signals of other processes. */
  readonly onSignals: (signals: readonly Signal[]) => void
  /** Returns a random number from 0 up to 1, for the delays between attempts. */
  readonly random: () => number
}

/**
 * Opens a connection that listens for notifications and sends them.
 *
 * Notifications are collected while a message is being sent, so many writes need few messages, and a commit never
 * takes the lock that Postgres holds for NOTIFY.
 *
 * If the connection breaks, it is opened again at growing intervals. Until then, all listeners of this process check
 * the database after each attempt, as long as the pool still works: a server may be out of connections, or a firewall
 * may cut the one idle connection. Once the connection is back, the listeners of this process check again and the
 * pending notifications are sent. Other processes need not check, because otherwise their work would grow with the
 * square of the processes.
 *
 * @throws {SqlFailure} `unavailable` if the first connection fails.
 */
export async function openNotifications<Signal>(
  options: NotificationOptions<Signal>,
): Promise<Notifications<Signal>> {
  const { connections, codec, onSignals, random } = options
  const channel = `${connections.schema}_signals`
  const self = randomUUID()
  let client: OwnConnection | undefined
  let isClosed = false
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  const outbox = createOutbox(codec, channel, self, () => client)

  const connect = async () => {
    const fresh = connections.createClient({ query_timeout: 10_000 })
    fresh.on('error', () => {})
    try {
      await fresh.connect()
      fresh.on('notification', ({ payload = '' }) => {
        const signals = toSignals(codec, payload, self)
        if (signals.length > 0) onSignals(signals)
      })
      // A signal may be lost with the server's last moments; waiting for its disk would buy nothing.
      await fresh.query(`set synchronous_commit = off; listen ${channel}`)
    } catch (error) {
      void fresh.end().catch(() => {})
      throw error
    }
    if (isClosed) {
      void fresh.end().catch(() => {})
      return
    }
    fresh.once('end', () => {
      if (client === fresh) client = undefined
      reconnectLater()
    })
    client = fresh
    failures = 0
    beat()
  }
  const reconnectLater = () => {
    if (isClosed) return
    clearTimeout(timer)
    failures += 1
    const pauseMs = backoffMs({
      failures,
      baseMs: firstPauseMs,
      capMs: longestPauseMs,
      // After a fail-over all processes come back: not in the same moment.
      spread: [0.2, 1],
      random,
    })
    timer = setTimeout(() => void reconnect(), pauseMs).unref()
  }
  const reconnect = async () => {
    // Once more at once where the server came back since: a look now and another one a moment later would be one too many.
    const isBack =
      (await canConnect()) || ((await isReachable(connections.pool)) ? await canConnect() : undefined)
    if (isBack !== undefined && !isClosed) onSignals(codec.missed)
    if (isBack) outbox.flush()
    else reconnectLater()
  }
  const canConnect = () =>
    connect().then(
      () => true,
      () => false,
    )
  const beat = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const current = client
      current?.query('select 1').then(
        () => {
          outbox.flush()
          beat()
        },
        () => void current.end().catch(() => {}),
      )
    }, heartbeatMs).unref()
  }
  try {
    await connect()
  } catch (error) {
    throw toPostgresFailure(error, 'Opening Postgres')
  }
  return {
    send: outbox.send,
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}

async function isReachable(pool: Connections['pool']): Promise<boolean> {
  try {
    // An idle connection may be broken without anybody having noticed.
    await useConnection(pool, (client) => client.query('select 1'))
    return true
  } catch {
    return false
  }
}

/** Gathers what is to be sent while something is on its way, or while the connection is missing. */
function createOutbox<Signal>(
  codec: SignalCodec<Signal>,
  channel: string,
  self: string,
  connection: () => OwnConnection | undefined,
) {
  const waiting = new Set<string>()
  let bulk: Signal[] = []
  let isSending = false

  const flush = () => {
    const client = connection()
    if (isSending || waiting.size + bulk.length === 0 || client === undefined) return
    isSending = true
    const payloads = [...waiting, ...toPayloads(codec, codec.bulk?.join(bulk) ?? [], self)]
    waiting.clear()
    bulk = []
    client
      .query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [channel, payloads])
      .then(
        () => {
          isSending = false
          flush()
        },
        () => {
          isSending = false
          // Sent again by the next connection, the next signal or the next heartbeat; twice does no harm.
          for (const payload of payloads.slice(0, maxWaiting)) waiting.add(payload)
          if (payloads.length > maxWaiting) add(codec.missed)
        },
      )
  }
  const add = (signals: readonly Signal[]) => {
    for (const payload of toPayloads(codec, signals, self)) waiting.add(payload)
  }
  const addBulk = (signals: readonly Signal[]) => {
    bulk.push(...signals)
    if (bulk.length <= maxBulk) return
    add((codec.bulk?.join(bulk) ?? []).flatMap((signal) => codec.bulk?.shorten(signal, true) ?? []))
    bulk = []
  }
  return {
    flush,
    send(signals: readonly Signal[]) {
      if (signals.length === 0) return
      const isBulk = (signal: Signal) => codec.bulk?.is(signal) === true
      add(signals.filter((signal) => !isBulk(signal)))
      addBulk(signals.filter(isBulk))
      if (waiting.size > maxWaiting) {
        waiting.clear()
        add(codec.missed)
      }
      flush()
    },
  }
}
