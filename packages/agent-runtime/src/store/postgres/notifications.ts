// Named imports, so that tests that fake the global timers do not hold up signals.
import { clearTimeout, setTimeout } from 'node:timers'
import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import type { StoreSignal } from '../ports/store-signal.ts'
import type { Connections } from './connect.ts'
import { toStoreError } from './postgres-error.ts'

const firstPauseMs = 100
const longestPauseMs = 10_000
/** How often an idle connection is tried: one that is gone without a word is noticed after this and the query timeout. */
const heartbeatMs = 20_000
/** A notification may have 8000 bytes. */
const maxPayload = 4000

/** Signals that anything may have changed, for those who may have missed some. */
const catchAll: readonly StoreSignal[] = [{ topic: 'journal' }, { topic: 'task' }, { topic: 'definition' }]

/** Signals between processes. */
export interface Notifications {
  /** Passes on what was committed here. Never fails: what cannot be passed on is lost, and who waits looks by himself. */
  send(signals: readonly StoreSignal[]): void
  close(): Promise<void>
}

/**
 * Listens on a connection of its own, and sends on it: what is sent is gathered while a message is on its way, so many
 * writes cost few messages, and no commit of a write takes the lock that Postgres holds for NOTIFY. After a broken
 * connection everybody here and elsewhere is told to look.
 *
 * @throws {RuntimeError} `storage_error` when the first connection cannot be made.
 */
export async function openNotifications(
  { schema, createClient }: Connections,
  hear: (signals: readonly StoreSignal[]) => void,
  random: () => number,
): Promise<Notifications> {
  const channel = `${schema}_signals`
  const self = randomUUID()
  let client: Client | undefined
  let isClosed = false
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  const outbox = createOutbox(channel, self, () => client)

  const connect = async () => {
    const fresh = createClient({ query_timeout: 10_000 })
    const drop = () => {
      if (client === fresh) client = undefined
      void fresh.end().catch(() => {})
      reconnectLater()
    }
    fresh.on('error', () => {})
    try {
      await fresh.connect()
      fresh.on('notification', ({ payload = '' }) => hear(toSignals(payload, self)))
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
    fresh.once('end', drop)
    client = fresh
    failures = 0
    beat()
  }
  const reconnectLater = () => {
    if (isClosed) return
    clearTimeout(timer)
    failures += 1
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures) * (0.5 + random() / 2)
    timer = setTimeout(() => {
      connect().then(() => {
        hear(catchAll)
        outbox.send(catchAll)
      }, reconnectLater)
    }, pauseMs).unref()
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
  return {
    send(signals: readonly StoreSignal[]) {
      if (connection() === undefined) return
      for (const signal of signals) {
        const payload = toPayload(signal, self)
        if (payload.length <= maxPayload) waiting.add(payload)
      }
      flush()
    },
  }
}

function toPayload(signal: StoreSignal, self: string): string {
  return signal.topic === 'run' ? `${self} run ${signal.runId}` : `${self} ${signal.topic}`
}

/** Those of other processes: one's own were heard when they were committed. */
function toSignals(payload: string, self: string): readonly StoreSignal[] {
  const [sender, topic, ...rest] = payload.split(' ')
  if (sender === self) return []
  if (topic === 'run') return [{ topic, runId: rest.join(' ') }]
  if (topic === 'journal' || topic === 'task' || topic === 'definition') return [{ topic }]
  return []
}
