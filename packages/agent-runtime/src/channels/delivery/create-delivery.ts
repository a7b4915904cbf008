import type { LeaseKeeper } from '../../leases/create-lease-keeper.ts'
import type { Delivery } from '../../store/ports/channel-store.ts'
import type { Logger } from '../../ports/logger.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import type { ActiveChannel, ChannelSet } from '../channel-set.ts'
import { findConversationOf } from '../inbox/judge-message.ts'
import { userOf } from '../inbox/to-acceptance.ts'
import { mayReceive } from '../outbound/create-sending.ts'
import { findRoute } from '../routes/find-route.ts'
import { deliver, type PlacedDelivery } from './deliver.ts'
import { createDeliveryLeases } from './delivery-leases.ts'
import { DeliveryStopped } from './delivery-progress.ts'
import { reasonOf } from '../../ports/reason-of.ts'

/** Delivers answers whose tasks have ended. */
interface DeliveryLoop {
  /** Begins. Safe to call again. */
  start(): void
  /** Looks for answers now. */
  wake(): void
  /** Takes no more, and waits for what is being sent, but not for long. */
  close(): Promise<void>
}

/** What {@link createDelivery} is built from. */
interface DeliveryOptions {
  /** Stores more answers before each look. Never rejects. @default nothing */
  readonly prepare?: () => Promise<void>
  readonly store: RuntimeStore
  readonly set: ChannelSet
  readonly leases: Pick<LeaseKeeper, 'owner' | 'lease' | 'leaseMs'>
  readonly logger: Logger
  readonly now: () => number
  readonly random: () => number
  /** Longest that one send may take, in milliseconds. @default 30000 */
  readonly maxSendMs?: number
  /** How long closing waits for what is being sent, in milliseconds. @default 5000 */
  readonly closeGraceMs?: number
  /** How often to look without being told, in milliseconds. @default 1000 */
  readonly pollMs?: number
}

interface Underway {
  readonly channel: string
  readonly controller: AbortController
  readonly ended: Promise<void>
}

/** Answers of one channel at a time: one that hangs does not hold up the others. */
const perChannel = 32

/** How many answers of each channel may begin. */
function toLimits(channels: readonly string[], underway: readonly Underway[]) {
  return channels.flatMap((channel) => {
    const busy = underway.filter((one) => one.channel === channel).length
    return busy < perChannel ? [{ channel, limit: perChannel - busy }] : []
  })
}

export function createDelivery(options: DeliveryOptions): DeliveryLoop {
  const { store, set, leases, logger, now, random } = options
  const { maxSendMs = 30_000, closeGraceMs = 5000, pollMs = 1000 } = options
  const context = { store, owner: leases.owner, logger, now, random, maxSendMs }
  const held = createDeliveryLeases(store, leases, logger, now)
  const underway = new Map<string, Underway>()
  const pump = createPump(take, (error) => {
    logger.error('Finding answers to deliver failed.', { reason: reasonOf(error) })
  })
  let isStarted = false
  let isClosed = false
  let ticking: ReturnType<typeof setTimeout> | undefined
  let unsubscribe = () => {}
  let closing: Promise<void> | undefined

  /** @returns whether there may be more. */
  async function take(): Promise<boolean> {
    const active = await set.current()
    const channels = toLimits([...active.keys()], [...underway.values()])
    if (channels.length === 0) return false
    await options.prepare?.()
    // After a pause what is being sent here looks left too, and would be taken from ourselves.
    if (!(await held.keepAll())) return false
    const at = new Date(now()).toISOString()
    const deliveries = await store.claimDeliveries({ lease: leases.lease(), now: at, channels })
    for (const delivery of deliveries) begin(delivery, active.get(delivery.message.channel))
    return deliveries.length > 0
  }

  /** A message that starts with the agent may have waited: its receiver is looked up again. */
  async function isAllowed(active: ActiveChannel, message: Delivery['message']): Promise<boolean> {
    const { sender, notice, channel, conversationId } = message
    if (sender !== undefined || notice !== undefined) return true
    const chat = await store.findChat(channel, conversationId)
    return chat !== undefined && mayReceive(store, active, chat)
  }

  function begin(delivery: Delivery, active: ActiveChannel | undefined): void {
    if (!active) return
    const { channel } = active
    const { id } = delivery.message
    // Its lease ran out, and this very process has it again.
    underway.get(id)?.controller.abort(new DeliveryStopped('lost'))
    const controller = new AbortController()
    const work = async () => {
      try {
        const isRefused = !(await isAllowed(active, delivery.message))
        const place = isRefused ? undefined : await findPlace(store, active, delivery)
        await deliver(context, channel, { ...delivery, isRefused, place }, controller.signal)
      } catch (error) {
        if (error instanceof DeliveryStopped) return
        logger.error('Delivering an answer was interrupted. It resumes when its lease expires.', {
          messageId: id,
          reason: reasonOf(error),
        })
      }
    }
    const ended = work().then(() => {
      held.letGo(id, controller)
      if (underway.get(id)?.controller === controller) underway.delete(id)
      pump.wake()
    })
    underway.set(id, { channel: channel.id, controller, ended })
    held.hold(id, controller)
  }

  function tick(): void {
    if (isClosed) return
    pump.wake()
    ticking = setTimeout(tick, pollMs * (0.8 + 0.2 * random()))
    ticking.unref?.()
  }

  async function close(): Promise<void> {
    isClosed = true
    unsubscribe()
    clearTimeout(ticking)
    await pump.close()
    const all = async () => Promise.all([...underway.values()].map(({ ended }) => ended))
    const giveUp = setTimeout(() => {
      for (const { controller } of underway.values()) controller.abort(new DeliveryStopped('closed'))
    }, closeGraceMs)
    await all()
    clearTimeout(giveUp)
    held.close()
  }

  return {
    wake: () => (isStarted ? pump.wake() : undefined),
    start() {
      if (isStarted || isClosed) return
      isStarted = true
      unsubscribe = store.subscribe(({ topic }) => {
        if (topic === 'task') pump.wake()
      })
      tick()
    },
    close: () => (closing ??= close()),
  }
}

/** Does something again and again, whenever it is asked to, and once at a time. */
interface Pump {
  /** Asks for it. Several requests at one moment cause one pass. */
  wake(): void
  /** Resolves when what is being done is done, and nothing more is. */
  close(): Promise<void>
}

/** Calls that come together are one. */
const gatherMs = 5

/** @param step Gives whether there may be more to do at once. */
function createPump(step: () => Promise<boolean>, onError: (error: unknown) => void): Pump {
  let isWanted = false
  let isClosed = false
  let pumping: Promise<void> | undefined
  let gathering: ReturnType<typeof setTimeout> | undefined

  async function work(): Promise<void> {
    try {
      while (isWanted && !isClosed) {
        isWanted = false
        if (await step()) isWanted = true
      }
    } catch (error) {
      if (!isClosed) onError(error)
    }
  }

  function pump(): void {
    gathering = undefined
    isWanted = true
    pumping ??= work().then(() => {
      pumping = undefined
    })
  }

  return {
    wake() {
      if (!isClosed) gathering ??= setTimeout(pump, gatherMs)
    },
    async close() {
      isClosed = true
      clearTimeout(gathering)
      await pumping
    },
  }
}

/** The conversation that the next message of the chat continues. @returns undefined for an answer. */
async function findPlace(
  store: RuntimeStore,
  { agentId: byDefault }: ActiveChannel,
  { message, task }: Delivery,
): Promise<PlacedDelivery['place']> {
  const { sender, notice, channel, conversationId: name } = message
  const chat = sender !== undefined || notice ? undefined : await store.findChat(channel, name)
  if (!chat) return undefined
  const { id } = chat
  const peer = { ...chat.peer, channel }
  const asIf = { conversationId: id, sender: peer, ...(peer.kind === 'group' && { group: peer }) }
  const agentId = (await findRoute(store, channel, asIf)).agentId ?? byDefault
  if (agentId === undefined) return undefined
  const stored = peer.kind === 'person' ? await store.findChannelSenders(channel, [peer.id]) : []
  const userId = userOf(channel, { person: peer }, stored)
  const conversationId = await findConversationOf(store, id, { agentId, userId })
  // the answer of a run there is in its conversation
  if (task?.conversationId === conversationId) return undefined
  const isUntrusted = message.isReport ? await hasReadUntrusted(store, task) : message.isUntrusted === true
  return { agentId, userId, conversationId, isUntrusted }
}

async function hasReadUntrusted(store: RuntimeStore, task: Delivery['task']): Promise<boolean> {
  const run = task?.runId === undefined ? undefined : await store.findRun(task.runId)
  return run?.progress.tainted !== false
}
