import type { LeaseKeeper } from '../../leases/create-lease-keeper.ts'
import type { Logger } from '../../ports/logger.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { InboundReaction, PollState } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import type { ActiveChannel, ChannelSet } from '../channel-set.ts'
import type { Inbox } from './create-inbox.ts'
import { sleep } from '@homeward/kit'
import { reasonOf } from '../../ports/reason-of.ts'

/** What asking a platform needs. */
export interface PollerContext {
  readonly store: Pick<RuntimeStore, 'claimPolling' | 'releasePolling'>
  readonly set: ChannelSet
  readonly inbox: Inbox
  /** Takes reactions as feedback. */
  readonly rate: (active: ActiveChannel, reactions: readonly InboundReaction[]) => Promise<void>
  readonly leases: Pick<LeaseKeeper, 'owner' | 'lease' | 'leaseMs'>
  readonly logger: Logger
  readonly now: () => number
}

/** Asks one platform for messages, as long as this process has the lease. */
export interface Poller {
  readonly active: ActiveChannel
  /** How it goes; undefined while another process asks. */
  state(): PollState | undefined
  /** Resolves when the signal has aborted, or asking again would not help. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

const renewShare = 4
const pauseMs = 5000
/** How long a channel may take to stop asking, in milliseconds. */
const leaveMs = 5000

export function createPoller(context: PollerContext, active: ActiveChannel): Poller {
  const { store, set, inbox, rate, leases, logger, now } = context
  const { source, channel } = active
  const claim = () => store.claimPolling(source, leases.lease(), new Date(now()).toISOString())
  let state: PollState | undefined

  async function keepLease(lost: AbortController, signal: AbortSignal): Promise<void> {
    let heldUntilMs = now() + leases.leaseMs
    while (!signal.aborted) {
      await sleep(leases.leaseMs / renewShare, signal)
      if (signal.aborted) return
      const askedAtMs = now()
      try {
        if (await claim()) heldUntilMs = askedAtMs + leases.leaseMs
        else lost.abort()
      } catch {
        if (now() >= heldUntilMs) lost.abort()
      }
    }
  }

  /** @returns false when asking again would not help until the settings change. */
  async function ask(offset: number | undefined, signal: AbortSignal): Promise<boolean> {
    const lost = new AbortController()
    const asking = AbortSignal.any([signal, lost.signal])
    const renewal = keepLease(lost, asking)
    try {
      const polled = channel.poll?.({
        offset,
        signal: asking,
        report(told) {
          state = told
        },
        async accept(messages, nextOffset, reactions) {
          // another agent may answer by now, and other people may write
          const { agentId, policy } = (await set.current()).get(channel.id) ?? active
          const polled = { source, owner: leases.owner, nextOffset }
          const present = { channel, source, agentId, policy }
          if (reactions) await rate(present, reactions)
          if (await inbox.accept(present, messages, polled)) return
          lost.abort()
          throw new ChannelError(
            'temporary',
            'Storing messages failed: another process polls for them now. No action is needed.',
          )
        },
      })
      await untilLeft(polled, asking)
      return true
    } catch (error) {
      if (!ChannelError.is(error) || error.code !== 'auth') throw error
      state = { mode: 'polling', warning: error.message }
      return false
    } finally {
      lost.abort()
      await renewal
    }
  }

  async function askAndGiveBack(offset: number | undefined, signal: AbortSignal): Promise<boolean> {
    try {
      return await ask(offset, signal)
    } finally {
      await store.releasePolling(source, leases.owner)
    }
  }

  return {
    active,
    state: () => state,
    async run(signal) {
      while (!signal.aborted) {
        try {
          const claimed = await claim()
          if (!claimed) state = undefined
          else if (!(await askAndGiveBack(claimed.offset, signal))) return
        } catch (error) {
          logger.error('Polling a platform for messages failed.', {
            channel: channel.id,
            reason: reasonOf(error),
          })
        }
        await sleep(Math.min(pauseMs, leases.leaseMs / renewShare), signal)
      }
    },
  }
}

/** Settles like the work; but a channel that does not heed its signal must not keep others from closing. */
async function untilLeft(work: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  const { promise: left, resolve } = Promise.withResolvers<void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const leave = () => {
    timer = setTimeout(resolve, leaveMs)
  }
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave)
  try {
    await Promise.race([work, left])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}
