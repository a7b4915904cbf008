import type { PollState } from '../../ports/channel.ts'
import type { ActiveChannel } from '../channel-set.ts'
import { createPoller, type Poller, type PollerContext } from './create-poller.ts'
import { sleep } from '@homeward/kit'
import { backgroundTimers } from '@homeward/kit/node'
import { reasonOf } from '../../ports/reason-of.ts'

/** Asks platforms for messages that bring none by themselves. One process at a time asks an account. */
interface Polling {
  /** Begins. Safe to call again. */
  start(): void
  /** How asking goes, for a channel that this process asks. */
  stateOf(channel: string): PollState | undefined
  /** Stops, and gives back what others may go on with. */
  close(): Promise<void>
}

/** What {@link createPolling} is built from. */
interface PollingOptions extends PollerContext {
  /** How often the settings are looked at, in milliseconds. @default 1000 */
  readonly watchMs?: number
}

interface Begun {
  readonly poller: Poller
  readonly controller: AbortController
  readonly ended: Promise<void>
}

export function createPolling(options: PollingOptions): Polling {
  const { set, logger, watchMs = 1000 } = options
  const begun = new Map<string, Begun>()
  const closed = new AbortController()
  let watching: Promise<void> | undefined

  async function watch(): Promise<void> {
    const { signal } = closed
    while (!signal.aborted) {
      try {
        await follow(await set.current())
      } catch (error) {
        logger.error('Reading the settings of channels failed.', { reason: reasonOf(error) })
      }
      await sleep(watchMs, signal, backgroundTimers)
    }
  }

  /** Begins and ends what the settings say. */
  async function follow(active: ReadonlyMap<string, ActiveChannel>): Promise<void> {
    for (const [id, { poller, controller, ended }] of begun) {
      if (active.get(id)?.channel === poller.active.channel) continue
      controller.abort()
      await ended
      begun.delete(id)
    }
    for (const [id, one] of active) {
      if (!one.channel.poll || begun.has(id) || closed.signal.aborted) continue
      const controller = new AbortController()
      const poller = createPoller(options, one)
      const ended = poller.run(AbortSignal.any([controller.signal, closed.signal]))
      begun.set(id, { poller, controller, ended })
    }
  }

  return {
    start() {
      if (!closed.signal.aborted) watching ??= watch()
    },
    stateOf: (channel) => begun.get(channel)?.poller.state(),
    async close() {
      closed.abort()
      await watching
      await Promise.all([...begun.values()].map(({ ended }) => ended))
    },
  }
}
