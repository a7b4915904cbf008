import { timingSafeEqual } from 'node:crypto'
import type { ChannelSender, ChannelSenderChange } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { ChannelStore } from '../../store/ports/channel-store.ts'
import type { StoredSender } from '../../store/ports/channel-sender.ts'
import { toSenderEvent } from '../channel-events.ts'
import type { Channels } from '../channels.ts'
import type { ActiveChannel } from '../channel-set.ts'
import { userOf, toUserId } from '../inbox/to-acceptance.ts'
import { platformOf } from '../platform-of.ts'
import { toPairingCode } from './pairing-code.ts'
import { createTryCounter } from './try-counter.ts'

/** What {@link createSenders} needs in addition to the store. */
interface SendersContext {
  /** The documented name of a channel. @throws {RuntimeError} `not_found` that begins with what was attempted */
  idOf(name: string, attempt: string): string
  /** `active` is absent for a channel that is not set up. */
  find(name: string, attempt: string): Promise<{ readonly active?: Pick<ActiveChannel, 'policy'> }>
  readonly now: () => number
  readonly createId: () => string
  /** Looks for messages to deliver. */
  wake(): void
}

type SenderStore = Pick<ChannelStore, 'listChannelSenders' | 'findChannelSenders' | 'decideChannelSender'>

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

  function assertAllowed(channel: string): void {
    const seconds = tries.secondsLeft(channel)
    if (seconds === 0) return
    const message = `${pairing} failed: 10 wrong codes in a row. Wait ${seconds} seconds, or allow the sender by its id.`
    throw new RuntimeError('rate_limited', message, { details: { retry_after_seconds: seconds } })
  }

  async function assertChangeable(
    channel: string,
    id: string,
    { status, kind, user_id }: ChannelSenderChange,
  ) {
    if (user_id === undefined) return
    const [known] = await store.findChannelSenders(channel, [id])
    if (!known && status === undefined) {
      const message = `${deciding} failed: the channel has no sender with this id. Set "status", too.`
      throw new RuntimeError('not_found', message)
    }
    if (user_id === null || (known?.kind ?? kind) !== 'group') return
    const message = `${deciding} failed: "user_id" is for a person, but this sender is a group. Leave it out.`
    throw new RuntimeError('validation_error', message)
  }

  async function decide(channel: string, id: string, change: ChannelSenderChange, code?: string) {
    const attempt = code === undefined ? deciding : pairing
    const { status, kind, user_id: userId } = change
    const at = timestamp()
    const own = toUserId(platformOf(channel), { person: { channel, id, kind: 'person' } })
    const link = userId !== undefined && { link: { own, userId } }
    const changed = { ...(status && { status }), ...(link && { userId: userId ?? own }) }
    const journal = [toSenderEvent({ channel, id, ...(kind && { kind }) }, changed, at)]
    const given = { channel, id, ...(status && { status }), ...(kind && { kind }), ...link }
    const isReachable = status === 'allowed' && (await find(channel, attempt)).active !== undefined
    const welcome = isReachable && { welcome: { id: createId(), text: welcomeText } }
    const sender = await store.decideChannelSender({
      ...given,
      ...(code !== undefined && { code }),
      ...welcome,
      now: at,
      journal,
    })
    if (sender && isReachable) wake()
    return sender
  }

  return {
    async senders(name, signal) {
      const channel = idOf(name, 'Listing the senders of a channel')
      const { active } = await find(name, 'Listing the senders of a channel')
      const stored = await store.listChannelSenders(channel, signal)
      return stored.map((sender) => toChannelSender(sender, timestamp(), active?.policy.allowedSenders))
    },
    async setSender(name, id, change) {
      const channel = idOf(name, deciding)
      await assertChangeable(channel, id, change)
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
      assertAllowed(channel)
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
function toChannelSender(
  stored: StoredSender,
  now: string,
  allowedSenders?: ReadonlySet<string>,
): ChannelSender {
  const { channel, id, kind = 'person', name, code, codeUntil = '', firstSeenAt, lastSeenAt } = stored
  const person = { channel, id, kind }
  // the settings let in people about whom nobody has decided
  const isListed = stored.status === 'pending' && kind === 'person' && allowedSenders?.has(id)
  return {
    id,
    ...(name !== undefined && { name }),
    kind,
    status: isListed ? 'allowed' : stored.status,
    user_id: userOf(channel, { person, ...(kind === 'group' && { group: person }) }, [stored]),
    ...(code !== undefined && codeUntil > now && { code }),
    first_seen_at: firstSeenAt,
    last_seen_at: lastSeenAt,
  }
}

function isSame(code: string, typed: string): boolean {
  const [one, other] = [Buffer.from(code), Buffer.from(typed)]
  return one.length === other.length && timingSafeEqual(one, other)
}
