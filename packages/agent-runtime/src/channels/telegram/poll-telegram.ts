import * as z from 'zod/mini'
import type { Channel, InboundMessage, InboundReaction, PollState } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import { maxGivenMs } from '../delivery/next-step.ts'
import { backoffMs, sleep } from '@homeward/kit'
import { isOwnWebhook } from '../webhooks/webhook-address.ts'
import { parseTelegram, type TelegramSelf } from './parse-telegram.ts'
import type { TelegramApi } from './telegram-api.ts'
import { TelegramError } from './telegram-error.ts'
import { wantedUpdates } from './telegram-update.ts'
import { foreignWebhook, getTelegramWebhook } from './telegram-webhook.ts'

type PollOptions = Parameters<NonNullable<Channel['poll']>>[0]

const Updates = z.array(z.looseObject({ update_id: z.int() }))

/** Seconds that Telegram holds a question open, at most 50. */
const heldSeconds = 50
const firstPauseMs = 5000
const longestPauseMs = 60_000
/** How often a token is refused before it is believed: a Bot API server of one's own refuses all while it starts (A22). */
const mostRefusals = 6

/**
 * Asks for new messages until the signal aborts: by long polling, unless a webhook is set. What fails is tried again
 * after 5 seconds, doubled up to 60, and not before Telegram says so.
 *
 * @throws {ChannelError} `auth`: the token was refused time after time, asking again would not help.
 */
export async function pollTelegram(
  api: TelegramApi,
  self: TelegramSelf,
  now: () => number,
  { offset, signal, accept, report }: PollOptions,
): Promise<void> {
  let next = offset
  let failures = 0
  let refusals = 0
  const tell = onChange(report)

  async function ask(): Promise<void> {
    const askedAt = now()
    const updates = await getUpdates(api, next, signal)
    failures = 0
    refusals = 0
    tell({ mode: 'polling' })
    if (updates.length > 0) {
      const nextOffset = Math.max(...updates.map(({ update_id }) => update_id)) + 1
      await keep(accept, await readUpdates(updates, self), nextOffset)
      next = nextOffset
    } else if (now() - askedAt < 1000) {
      await sleep(1000, signal) // a server that does not hold the question must not be stormed
    }
  }

  while (!signal.aborted) {
    try {
      while (await isHooked(api, tell, signal)) {
        failures = 0
        await sleep(longestPauseMs, signal)
      }
      if (failures === 0) tell({ mode: 'polling' })
      while (!signal.aborted) await ask()
    } catch (error) {
      if (signal.aborted) return
      if (!ChannelError.is(error)) throw error
      if (error.code === 'auth' && (refusals += 1) === mostRefusals) throw toLastRefusal(error)
      if (isConflict(error) && (await isHooked(api, tell, signal).catch(() => false))) continue
      failures += 1
      const pauseMs = backoffMs({ failures, baseMs: firstPauseMs, capMs: longestPauseMs, spread: [1, 1] })
      tell({ mode: 'polling', warning: explain(error) })
      await sleep(Math.max(pauseMs, Math.min(error.retryAfterMs ?? 0, maxGivenMs)), signal)
    }
  }
}

/** Whether a webhook is set, which is told then: while one is, asking is refused. @throws {ChannelError} */
async function isHooked(
  api: TelegramApi,
  tell: (state: PollState) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const { url } = await getTelegramWebhook(api, signal)
  if (url === '') return false
  tell({ mode: 'webhook', ...(!isOwnWebhook('channel_a', url) && { warning: foreignWebhook(url) }) })
  return true
}

async function getUpdates(
  api: TelegramApi,
  offset: number | undefined,
  signal: AbortSignal,
): Promise<z.infer<typeof Updates>> {
  const updates = Updates.safeParse(
    await api.call(
      'getUpdates',
      {
        ...(offset !== undefined && { offset }),
        timeout: heldSeconds,
        limit: 100,
        allowed_updates: wantedUpdates,
      },
      { signal, timeoutMs: (heldSeconds + 15) * 1000 },
    ),
  )
  if (updates.success) return updates.data
  throw new ChannelError(
    'temporary',
    'Telegram getUpdates failed: the response is not a Telegram API response. Check channel_a_api_base.',
  )
}

interface ReadUpdates {
  readonly messages: readonly InboundMessage[]
  readonly reactions: readonly InboundReaction[]
}

async function readUpdates(updates: readonly unknown[], self: TelegramSelf): Promise<ReadUpdates> {
  const messages: InboundMessage[] = []
  const reactions: InboundReaction[] = []
  for (const update of updates) {
    const parsed = await parseTelegram(update, self)
    if ('message' in parsed) messages.push(parsed.message)
    else if (parsed.reaction) reactions.push(parsed.reaction)
  }
  return { messages, reactions }
}

async function keep(
  accept: PollOptions['accept'],
  { messages, reactions }: ReadUpdates,
  nextOffset: number,
): Promise<void> {
  try {
    await (reactions.length > 0 ? accept(messages, nextOffset, reactions) : accept(messages, nextOffset))
  } catch (cause) {
    const message = 'Storing new Telegram messages failed. They will be requested again.'
    throw new ChannelError('temporary', message, { cause })
  }
}

function toLastRefusal(error: ChannelError): ChannelError {
  const message = `${error.message} Telegram rejected the request ${mostRefusals} times. Polling stops until the settings of the channel change.`
  return new ChannelError('auth', message, { cause: error })
}

function explain(error: ChannelError): string {
  if (!isConflict(error)) return error.message
  return `${error.message} Only one program can poll for the messages of a bot. Stop the other program, or use a separate bot for this server.`
}

/** Another program asks, or a webhook was set. */
function isConflict(error: ChannelError): boolean {
  return error instanceof TelegramError && error.status === 409
}

function onChange(report: PollOptions['report']): (state: PollState) => void {
  let last = ''
  return (state) => {
    const told = JSON.stringify(state)
    if (told === last) return
    last = told
    report?.(state)
  }
}
