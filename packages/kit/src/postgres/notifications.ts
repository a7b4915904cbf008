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
  /** Passes on what was committed here, later if there is no connection. Never fails: with too much, all have to look. */
  send(signals: readonly Signal[]): void
  /** Stops listening and gives the connection back. */
  close(): Promise<void>
}

/** What {@link openNotifications} works with. */
export interface NotificationOptions<Signal> {
  /** Provides the connection that listens. */
  readonly connections: Pick<Connections, 'schema' | 'createClient' | 'pool'>
  /** Signals as texts of a message, and back. */
  readonly codec: SignalCodec<Signal>
  /** Gets the signals of other processes. */
  readonly onSignals: (signals: readonly Signal[]) => void
  /** Randomness of pauses before another try: from 0 up to 1. */
  readonly random: () => number
}

/**
 * Listens on a connection of its own, and sends on it: what is sent is gathered while a message is on its way, so many
 * writes cost few messages, and no commit of a write takes the lock that Postgres holds for NOTIFY.
 *
 * A connection that breaks is made again, at growing intervals. Until then, all listeners of this process are told to look
 * after each try, as long as the pool still reaches the database: one server may be out of connections, or a firewall may
 * cut the one that is always idle, while reads go on. Listeners that look anyway, every second, look once more; those
 * that only wait would wait for as long as this connection is gone. Once it is back, the listeners of this process look, and
 * what could not be sent is sent: others need not look, or their work would grow with the square of the processes.
 *
 * @throws {SqlFailure} `unavailable` when the first connection cannot be made.
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
