import { createAutoResetEvent } from '@homeward/kit'
import type { EventSocketLimits, EventTransport } from './event-transport.ts'

/** Milliseconds between two looks whether a client has taken what was sent. */
const lookEveryMs = 50

/** What {@link createEventSender} is built from. */
interface EventSenderOptions {
  readonly transport: EventTransport
  readonly limits: EventSocketLimits
  /** Called when the client has taken too little for too long. */
  readonly onSlow: () => void
  readonly now: () => number
}

/** Sends to one client, no faster than it takes what is sent. */
interface EventSender {
  /** Sends at once. Resolves when the transport is ready for more. */
  send(text: string): Promise<void>
  /** Resolves once there is room for more, when `signal` aborts, and when the client was given up. */
  waitForRoom(signal: AbortSignal): Promise<void>
  /** What was sent has left. */
  drained(): void
  /** Ends the pings. */
  stop(): void
}

/** Builds a sender, which pings from now on. */
export function createEventSender({ transport, limits, onSlow, now }: EventSenderOptions): EventSender {
  const { maxBufferedBytes = 1024 * 1024, slowClientMs = 10_000, keepaliveMs = 15_000 } = limits
  const wakeup = createAutoResetEvent()
  let keepalive: ReturnType<typeof setTimeout> | undefined

  const isFull = () => (transport.bufferedBytes?.() ?? 0) > maxBufferedBytes

  function pingLater(): void {
    keepalive = setTimeout(() => {
      if (!isFull()) transport.ping?.()
      pingLater()
    }, keepaliveMs)
  }
  if (transport.ping) pingLater()

  return {
    async send(text) {
      const sent = transport.send(text)
      if (!(sent instanceof Promise)) return
      const timer = setTimeout(onSlow, slowClientMs)
      await sent.finally(() => clearTimeout(timer))
    },
    async waitForRoom(signal) {
      const startedAt = now()
      while (isFull() && !signal.aborted) {
        if (now() - startedAt >= slowClientMs) return onSlow()
        const timer = setTimeout(() => wakeup.set(), lookEveryMs)
        await wakeup.wait(Infinity, signal)
        clearTimeout(timer)
      }
    },
    drained: () => wakeup.set(),
    stop: () => clearTimeout(keepalive),
  }
}
