// Named imports, so that tests that fake the global timers do not hold up signals.
import { clearTimeout, setTimeout } from 'node:timers'
import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import type { CloudSignal } from '../ports/cloud-signal.ts'
import type { Connections } from './connect.ts'
import { toStoreError } from './postgres-error.ts'
import { toPayloads, toSignal } from './payloads.ts'

const firstPauseMs = 100
const longestPauseMs = 10_000
/** How often an idle connection is tried: one that is gone without a word is noticed after this and the query timeout. */
const heartbeatMs = 20_000
/** Messages that wait to be sent; past them everybody is told to look. */
const maxWaiting = 2000

const missed: readonly CloudSignal[] = [{ topic: 'missed' }]

/** Signals between processes. */
export interface Notifications {
  /** Passes on what was committed here. Never fails: what cannot be passed on is lost, and all are told to look later. */
  send(signals: readonly CloudSignal[]): void
  close(): Promise<void>
}

/** What {@link openNotifications} works with. */
export interface NotificationOptions {
  readonly connections: Pick<Connections, 'schema' | 'createClient'>
  readonly hear: (signals: readonly CloudSignal[]) => void
  /** Whether the database answers: while there is nobody to listen to, what waits is only told to look when it does. */
  readonly isReachable: () => Promise<boolean>
  readonly random: () => number
}

/**
 * Listens on a connection of its own, and sends on it: what is sent is gathered while a message is on its way, so many
 * writes cost few messages, and no commit of a write takes the lock that Postgres holds for NOTIFY.
 *
 * When the connection breaks it is made anew, at growing distances. Meanwhile everybody here is told to look after each
 * try, as long as the database answers others; and everybody everywhere once it is back.
 *
 * @throws {CloudStoreError} `DATABASE_UNAVAILABLE` when the first connection cannot be made.
 */
export async function openNotifications(options: NotificationOptions): Promise<Notifications> {
  const { connections, hear, isReachable, random } = options
  const channel = `${connections.schema}_signals`
  const self = randomUUID()
  let client: Client | undefined
  let isClosed = false
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  const outbox = createOutbox(channel, self, () => client)

  const connect = async () => {
    const fresh = connections.createClient({ query_timeout: 10_000 })
    fresh.on('error', () => {})
    try {
      await fresh.connect()
      fresh.on('notification', ({ payload = '' }) => {
        const signal = toSignal(payload, self)
        if (signal !== undefined) hear([signal])
      })
      // What is told may be lost with the server's last moments; waiting for its disk would buy nothing.
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
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures) * (0.5 + random() / 2)
    timer = setTimeout(() => void reconnect(), pauseMs).unref()
  }
  const reconnect = async () => {
    try {
      await connect()
      hear(missed)
      outbox.send(missed)
    } catch {
      reconnectLater()
      if ((await isReachable()) && client === undefined && !isClosed) hear(missed)
    }
  }
  const beat = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const current = client
      current?.query('select 1').then(beat, () => void current.end().catch(() => {}))
    }, heartbeatMs).unref()
  }
  try {
    await connect()
  } catch (error) {
    throw toStoreError(error, 'Opening Postgres')
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

/** Gathers what is to be sent while something is on its way. Nobody can be told while there is no connection. */
function createOutbox(channel: string, self: string, connection: () => Client | undefined) {
  const waiting = new Set<string>()
  let isSending = false

  const flush = () => {
    const client = connection()
    if (isSending || waiting.size === 0 || client === undefined) return
    isSending = true
    const payloads = [...waiting]
    waiting.clear()
    client
      .query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [channel, payloads])
      .catch(() => {})
      .finally(() => {
        isSending = false
        flush()
      })
  }
  const add = (signals: readonly CloudSignal[]) => {
    for (const payload of toPayloads(signals, self)) waiting.add(payload)
  }
  return {
    send(signals: readonly CloudSignal[]) {
      if (signals.length === 0 || connection() === undefined) return
      add(signals)
      if (waiting.size > maxWaiting) {
        waiting.clear()
        add(missed)
      }
      flush()
    },
  }
}
