import * as z from 'zod/mini'
import { ChannelError } from '../channel-error.ts'
import type { ViberApi } from './viber-api.ts'

/** What `get_account_info` says. */
export const ViberAccount = z.object({
  name: z.string(),
  webhook: z.optional(z.string()),
  event_types: z.optional(z.array(z.string())),
})
export type ViberAccount = z.infer<typeof ViberAccount>

/** What Viber shows as the author of a message: required, and no longer than this. */
const maxNameLength = 28
const askAgainMs = 600_000

/** Asks Viber about the bot. @throws {ChannelError} */
export async function getViberAccount(api: ViberApi, signal: AbortSignal): Promise<ViberAccount> {
  const reply = await api.call('get_account_info', {}, { signal, timeoutMs: 5000 })
  const account = ViberAccount.safeParse(reply.json)
  if (account.success) return account.data
  throw new ChannelError(
    'temporary',
    'Viber get_account_info failed: the response is not a Viber API response. Check channel_e_api_base.',
  )
}

/** The name that messages are sent under: the account's own, as soon as Viber has told it. */
export interface ViberName {
  /** The name if it is known, else a stand-in. */
  known(): string
  /** Asks for it if that has not been done. Never throws. */
  get(signal: AbortSignal): Promise<string>
  learn(account: ViberAccount): void
}

/** Asks nobody yet. */
export function createViberName(api: ViberApi, now: () => number): ViberName {
  let name: string | undefined
  let askAgainAt = 0
  const known = () => name ?? 'Assistant'
  const learn = (account: ViberAccount) => {
    name = shorten(account.name) || undefined
  }
  return {
    known,
    learn,
    async get(signal) {
      if (name === undefined && now() >= askAgainAt) {
        askAgainAt = now() + askAgainMs
        try {
          learn(await getViberAccount(api, signal))
        } catch {
          // an answer under a stand-in is better than none
        }
      }
      return known()
    },
  }
}

function shorten(name: string): string {
  let short = ''
  for (const character of name.trim()) {
    if (short.length + character.length > maxNameLength) break
    short += character
  }
  return short.trim()
}
