import type { LeaseKeeper } from '../../leases/create-lease-keeper.ts'
import type { ChannelStore } from '../../store/ports/channel-store.ts'
import type { Logger } from '../../ports/logger.ts'
import { DeliveryStopped } from './delivery-progress.ts'
import { reasonOf } from '../../ports/reason-of.ts'

/** Keeps the leases of deliveries that this process works on. */
interface DeliveryLeases {
  /** Renews the lease of a delivery until it is let go. `controller` is told when somebody else has it. */
  hold(id: string, controller: AbortController): void
  letGo(id: string, controller: AbortController): void
  /**
   * Makes sure that the leases have not run out unseen, as they have behind a pause of the machine: then they are renewed.
   *
   * @returns false when that could not be done: what is held here may look left to others.
   */
  keepAll(): Promise<boolean>
  close(): void
}

const renewShare = 4

export function createDeliveryLeases(
  store: Pick<ChannelStore, 'renewDeliveries'>,
  leases: Pick<LeaseKeeper, 'lease' | 'leaseMs'>,
  logger: Logger,
  now: () => number,
): DeliveryLeases {
  const held = new Map<string, AbortController>()
  /** Until when all that is held is ours. */
  let freshUntilMs = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined

  function plan(): void {
    if (timer !== undefined || held.size === 0) return
    timer = setTimeout(() => {
      timer = undefined
      void renew().then(plan)
    }, leases.leaseMs / renewShare)
  }

  async function renew(): Promise<void> {
    const asked = new Map(held)
    if (asked.size === 0) return
    const untilMs = now() + leases.leaseMs
    try {
      const kept = new Set(await store.renewDeliveries(leases.lease(), [...asked.keys()]))
      for (const [id, controller] of asked) {
        // one that has ended meanwhile is not lost
        if (!kept.has(id) && held.get(id) === controller) controller.abort(new DeliveryStopped('lost'))
      }
      freshUntilMs = untilMs
    } catch (error) {
      logger.warn('Renewing the leases of answers failed.', { reason: reasonOf(error) })
    }
  }

  return {
    hold(id, controller) {
      if (held.size === 0) freshUntilMs = now() + leases.leaseMs
      held.set(id, controller)
      plan()
    },
    letGo(id, controller) {
      if (held.get(id) === controller) held.delete(id)
    },
    async keepAll() {
      const isFresh = () => held.size === 0 || now() < freshUntilMs
      if (!isFresh()) await renew()
      return isFresh()
    },
    close: () => clearTimeout(timer),
  }
}
