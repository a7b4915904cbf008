import { timingSafeEqual } from 'node:crypto'
import type { ChannelSender, ChannelSenderChange } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { ChannelStore } from '../../store/ports/channel-store.ts'
import type { StoredSender } from '../../store/ports/channel-sender.ts'
import { toSenderEvent } from '../channel-events.ts'
import type { Channels } from '../channels.ts'
import { toPairingCode } from './pairing-code.ts'

/** What {@link createSenders} needs in addition to the store. */
interface SendersContext {
  /** The documented name of a channel. @throws {RuntimeError} `not_found` that begins with what was attempted */
  idOf(name: string, attempt: string): string
  /** `active` is absent for a channel that is not set up. */
  find(name: string, attempt: string): Promise<{ readonly active?: unknown }>
  readonly now: () => number
  readonly createId: () => string
  /** Looks for messages to deliver. */
  wake(): void
}

type SenderStore = Pick<ChannelStore, 'listChannelSenders' | 'decideChannelSender'>

const maxWrongCodes = 10
const wrongCodesMs = 10 * 60 * 1000
const pairing = 'Pairing a sender'
const deciding = 'Changing a sender'
const welcomeText = 'You can write to this agent now.'

/** People and groups at channels, for the operator to see and to decide about. */
export function createSenders(
  store: SenderStore,
  { idOf, find, now, createId, wake }: SendersContext,
): Pick<Channels, 'senders' | 'setSender' | 'pair'> {
  const tries = createTryCounter(now)
  const timestamp = () => new Date(now()).toISOString()

  async function decide(channel: string, id: string, change: ChannelSenderChange, code?: string) {
    const attempt = code === undefined ? deciding : pairing
    const { status, kind } = change
    const at = timestamp()
    const journal = [toSenderEvent({ channel, id, ...(kind && { kind }) }, status, at)]
    const given = { channel, id, status, ...(kind && { kind }), ...(code !== undefined && { code }) }
    const isReachable = status === 'allowed' && (await find(channel, attempt)).active !== undefined
    const welcome = isReachable && { welcome: { id: createId(), text: welcomeText } }
    const sender = await store.decideChannelSender({ ...given, ...welcome, now: at, journal })
    if (sender && isReachable) wake()
    return sender
  }

  return {
    async senders(name, signal) {
      const channel = idOf(name, 'Listing the senders of a channel')
      const stored = await store.listChannelSenders(channel, signal)
      return stored.map((sender) => toChannelSender(sender, timestamp()))
    },
    async setSender(name, id, change) {
      const channel = idOf(name, deciding)
      const sender = await decide(channel, id, change)
      if (!sender)
        throw new RuntimeError(
          'conflict',
          `${deciding} failed: the sender was changed at the same time. Try again.`,
        )
      return toChannelSender(sender, timestamp())
    },
    async pair(name, typed) {
      const channel = idOf(name, pairing)
      tries.assertAllowed(channel)
      const wanted = toPairingCode(typed)
      const at = timestamp()
      const found = (await store.listChannelSenders(channel)).filter(
        ({ code, codeUntil = '' }) => code !== undefined && codeUntil > at && isSame(code, wanted),
      )
      const [{ id, kind } = { id: undefined, kind: undefined }] = found
      const change = { status: 'allowed', ...(kind && { kind }) } as const
      const sender = id === undefined ? undefined : await decide(channel, id, change, wanted)
      if (!sender) {
        tries.failed(channel)
        const fix = 'A code is valid for one hour. Ask the person to write again to get a new one.'
        throw new RuntimeError('not_found', `${pairing} failed: the code is wrong or has expired. ${fix}`)
      }
      return toChannelSender(sender, at)
    },
  }
}

/** A sender as the HTTP API shows it. */
function toChannelSender(stored: StoredSender, now: string): ChannelSender {
  const { id, kind = 'person', name, status, code, codeUntil = '', firstSeenAt, lastSeenAt } = stored
  return {
    id,
    ...(name !== undefined && { name }),
    kind,
    status,
    ...(code !== undefined && codeUntil > now && { code }),
    first_seen_at: firstSeenAt,
    last_seen_at: lastSeenAt,
  }
}

function isSame(code: string, typed: string): boolean {
  const [one, other] = [Buffer.from(code), Buffer.from(typed)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Counts wrong codes of each channel, so that nobody can try them all. */
function createTryCounter(now: () => number) {
  const wrong = new Map<string, { count: number; untilMs: number }>()
  const current = (channel: string) => {
    const known = wrong.get(channel)
    return known && known.untilMs > now() ? known : { count: 0, untilMs: now() + wrongCodesMs }
  }
  return {
    assertAllowed(channel: string): void {
      const { count, untilMs } = current(channel)
      if (count < maxWrongCodes) return
      const seconds = Math.max(1, Math.ceil((untilMs - now()) / 1000))
      const message = `${pairing} failed: ${maxWrongCodes} wrong codes in a row. Wait ${seconds} seconds, or allow the sender by its id.`
      throw new RuntimeError('rate_limited', message, { details: { retry_after_seconds: seconds } })
    },
    failed(channel: string): void {
      const { count, untilMs } = current(channel)
      wrong.set(channel, { count: count + 1, untilMs })
    },
  }
}
