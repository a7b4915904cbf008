import { type ReportTarget, type Settings, toChannelId } from '@homeward/contract/agent-platform'
import type { LeaseKeeper } from '../leases/create-lease-keeper.ts'
import type { Logger } from '../ports/logger.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { Channel, ChannelProbe } from '../ports/channel.ts'
import { ChannelError } from './channel-error.ts'
import { type ChannelSet, missingOf, type ActiveChannel } from './channel-set.ts'
import { toChannelStatus } from './channel-status.ts'
import type { Channels } from './channels.ts'
import {
  type AnswerWait,
  createApprovalNotices,
  type DecideApproval,
} from './approvals/create-approval-notices.ts'
import { createDelivery } from './delivery/create-delivery.ts'
import { type InboxOptions, createInbox } from './inbox/create-inbox.ts'
import type { PollerContext } from './inbox/create-poller.ts'
import { createPolling } from './inbox/poll-channels.ts'
import { createSenders } from './access/create-senders.ts'
import { createRoutes } from './routes/create-routes.ts'
import { createSending } from './outbound/create-sending.ts'
import { toWebhookUrl } from './webhooks/webhook-address.ts'
import { createWebhookRefusals } from './webhooks/webhook-refusals.ts'
import { toChannelMessage } from './to-channel-message.ts'
import { boundedLimit } from '../paging/bounded-limit.ts'
import { readPage } from '../paging/read-page.ts'

/** Messaging channels of a process, with what they do by themselves. */
export interface ChannelService extends Channels {
  /** Begins to deliver answers and to ask platforms for messages. Safe to call again. */
  start(): void
  /**
   * Checks the chats of an agent's `report_to`.
   *
   * @throws {RuntimeError} `validation_error` for one that its channel does not know, or that may get no messages
   */
  checkReportTo(targets: readonly ReportTarget[], attempt: string): Promise<void>
  /** Takes nothing more, and waits for what is being sent, but not for long. */
  close(): Promise<void>
}

/** What {@link createChannels} is built from. */
export interface ChannelsOptions {
  readonly store: RuntimeStore
  readonly settings: { read(): Promise<Settings> }
  readonly set: ChannelSet
  readonly findAgent: InboxOptions['findAgent']
  readonly listAgents: InboxOptions['listAgents']
  readonly announceTask: InboxOptions['deliver']
  readonly stopTask: InboxOptions['stopTask']
  readonly runs: {
    readonly decideApproval: DecideApproval
    readonly answerWait: AnswerWait
    readonly answers: InboxOptions['answers']
  }
  readonly leases: Pick<LeaseKeeper, 'owner' | 'lease' | 'leaseMs'>
  readonly logger: Logger
  readonly now: () => number
  readonly createId: () => string
  readonly random?: (() => number) | undefined
  /** Longest that one send may take, in milliseconds. @default 30000 */
  readonly maxSendMs?: number
}

const maxProbeMs = 10_000

const receiving = 'Receiving a message'
const settingWebhook = 'Setting a webhook'

/** Builds the messaging channels of a runtime (A1). */
export function createChannels(options: ChannelsOptions): ChannelService {
  const { store, settings, set, findAgent, leases, logger, now, createId } = options
  const { random = Math.random, maxSendMs } = options
  const { decideApproval: decide, answerWait: answer } = options.runs
  const approvals = createApprovalNotices({ ...options, decide, answer })
  const delivery = createDelivery({
    prepare: () => approvals.look(),
    store,
    set,
    leases,
    logger,
    now,
    random,
    ...(maxSendMs !== undefined && { maxSendMs }),
  })
  const inbox = createInbox({
    store,
    findAgent,
    listAgents: options.listAgents,
    deliver: options.announceTask,
    stopTask: options.stopTask,
    wake: () => delivery.wake(),
    approvals,
    answers: options.runs.answers,
    logger,
    now,
    createId,
  })
  const rate: PollerContext['rate'] = async (active, reactions) => {
    const { rateAnswers } = await import('./reactions/rate-answer.ts')
    await rateAnswers({ store, now }, active, reactions)
  }
  const polling = createPolling({ store, set, inbox, rate, leases, logger, now })
  const refusals = createWebhookRefusals(now)
  const finder = createChannelFinder(set, settings)
  const { idOf, find, findActive } = finder
  function wake(): void {
    delivery.start()
    delivery.wake()
  }

  return {
    start() {
      delivery.start()
      polling.start()
    },
    async close() {
      finder.close()
      await Promise.all([polling.close(), delivery.close()])
    },
    async receive(name, request) {
      const active = await findActive(name, receiving, 'not_found')
      const received = await active.channel.receive(request)
      refusals.note(active.channel.id, received)
      if (received.kind === 'reply') {
        if (received.reaction) await rate(active, [received.reaction])
        return received.reply
      }
      delivery.start()
      const [outcome] = (await inbox.accept(active, [received.message])) ?? []
      if (outcome === 'unanswered') return received.refusal ?? received.reply
      return outcome === 'refused' ? (received.denial ?? received.reply) : received.reply
    },
    async status(name, { probe: isAsked = false, signal } = {}) {
      const { id, active } = await find(name, 'Getting the status of a channel')
      const probe = isAsked && active ? await probeChannel(active.channel, signal) : undefined
      const [all, counts, senders] = await Promise.all([
        settings.read(),
        store.countChannelMessages(id, signal),
        store.listChannelSenders(id, signal),
      ])
      const poll = polling.stateOf(id)
      const refusal = refusals.warningOf(id)
      return toChannelStatus(id, { settings: all, active, poll, probe, counts, senders, refusal, findAgent })
    },
    async setWebhook(name, baseUrl, signal) {
      const { channel } = await findActive(name, settingWebhook)
      return registerWebhook(channel, baseUrl, signal)
    },
    ...createMessageViews(store, { idOf, now, wake: () => delivery.wake() }),
    ...createSenders(store, { idOf, find, now, createId, wake }),
    ...createRoutes(store, { idOf, findAgent }),
    ...createSending(store, { findActive, now, createId, wake }),
  }
}

async function registerWebhook(
  channel: Channel,
  baseUrl: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (!channel.setWebhook) {
    const message = `${settingWebhook} failed: the webhook of ${channel.id} cannot be set from here. Register it on the platform.`
    throw new RuntimeError('not_found', message)
  }
  const url = toWebhookUrl(baseUrl, channel.id)
  try {
    await channel.setWebhook(url, signal ?? new AbortController().signal)
  } catch (error) {
    throw toRuntimeError(error)
  }
  return url
}

async function probeChannel(channel: Channel, signal: AbortSignal | undefined): Promise<ChannelProbe> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), maxProbeMs)
  try {
    return await channel.probe(signal ? AbortSignal.any([signal, limit.signal]) : limit.signal)
  } catch {
    return { ok: false, warnings: ['Calling the platform failed.'] }
  } finally {
    clearTimeout(timer)
  }
}

function toRuntimeError(error: unknown): unknown {
  if (!ChannelError.is(error)) return error
  const code = error.code === 'permanent' || error.code === 'format' ? 'validation_error' : 'channel_error'
  const retryable = error.code === 'temporary' || error.code === 'rate_limited'
  return new RuntimeError(code, error.message, { cause: error, retryable })
}

/** Finds channels by either of their names. */
interface ChannelFinder {
  /** The documented name of a channel. @throws {RuntimeError} `not_found` that begins with what was attempted */
  idOf(name: string, attempt: string): string
  /** `active` is absent for a channel that is not set up. @throws {RuntimeError} `not_found` or `closed` */
  find(name: string, attempt: string): Promise<{ readonly id: string; readonly active?: ActiveChannel }>
  /** A channel that is set up. @throws {RuntimeError} `not_found` or `closed`; `conflict`, or the code given, if it is not */
  findActive(name: string, attempt: string, code?: 'conflict' | 'not_found'): Promise<ActiveChannel>
  /** Finds nothing anymore. */
  close(): void
}

function createChannelFinder(set: ChannelSet, settings: { read(): Promise<Settings> }): ChannelFinder {
  let isClosed = false
  function idOf(name: string, attempt: string): string {
    const id = toChannelId(name) ?? name
    if (set.isKnown(id)) return id
    throw new RuntimeError(
      'not_found',
      `${attempt} failed: no channel has the name "${name.slice(0, 100)}". List the channels to find it.`,
    )
  }
  async function find(name: string, attempt: string) {
    if (isClosed)
      throw new RuntimeError('closed', `${attempt} failed: the runtime was closed. Create another one.`)
    const id = idOf(name, attempt)
    const active = (await set.current()).get(id)
    return active ? { id, active } : { id }
  }
  return {
    idOf,
    find,
    async findActive(name, attempt, code = 'conflict') {
      const { id, active } = await find(name, attempt)
      if (active) return active
      const missing = missingOf(id, await settings.read()).join(' and ')
      throw new RuntimeError(code, `${attempt} failed: the channel ${id} is not set up. Set ${missing}.`)
    },
    close() {
      isClosed = true
    },
  }
}

/** What {@link createMessageViews} needs besides the store. */
interface MessageViewsContext {
  /** The documented name of a channel. @throws {RuntimeError} `not_found` that begins with what was attempted */
  idOf(name: string, attempt: string): string
  readonly now: () => number
  /** Looks for answers to deliver. */
  wake(): void
}

const deciding = 'Resolving an answer'

/** Messages of channels, for people to see and to decide about. */
function createMessageViews(
  store: RuntimeStore,
  { idOf, now, wake }: MessageViewsContext,
): Pick<Channels, 'messages' | 'resolve'> {
  return {
    async messages(name, { status, limit = 100, cursor } = {}, signal) {
      const channel = idOf(name, 'Listing the messages of a channel')
      const page = { limit: boundedLimit(limit, 500), cursor }
      const { rows, nextCursor } = await readPage('channel-messages', page, (part) =>
        store.listChannelMessages({ channel, status }, part, signal),
      )
      return { messages: rows.map(toChannelMessage), ...(nextCursor !== undefined && { nextCursor }) }
    },
    async resolve(name, messageId, decision) {
      const channel = idOf(name, deciding)
      const message = await store.findChannelMessage(messageId)
      if (message?.channel !== channel) {
        throw new RuntimeError(
          'not_found',
          `${deciding} failed: the channel has no message with this id. List its messages to find it.`,
        )
      }
      const at = new Date(now()).toISOString()
      const resolved = await store.resolveChannelMessage({ id: messageId, decision, now: at })
      if (!resolved) {
        const text = `${deciding} failed: the status of the answer must be failed or uncertain, got ${message.status}. List the messages again.`
        throw new RuntimeError('conflict', text)
      }
      wake()
      return toChannelMessage(resolved)
    },
  }
}
