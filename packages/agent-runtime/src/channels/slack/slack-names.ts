import { withTimeout } from '@homeward/kit'
import * as z from 'zod/mini'
import type { SlackApi } from './slack-api.ts'

/** Finds the name of a person; undefined if Slack does not tell it in time. Never rejects. */
export type FindSlackName = (userId: string) => Promise<string | undefined>

const User = z.object({
  user: z.object({
    name: z.optional(z.string()),
    real_name: z.optional(z.string()),
    profile: z.optional(
      z.object({ display_name: z.optional(z.string()), real_name: z.optional(z.string()) }),
    ),
  }),
})

/** Slack waits 3 seconds for the answer to an event, in milliseconds. */
const maxWaitMs = 1500
const keptMs = 60 * 60 * 1000
/** How long a name that could not be found is not asked for again, in milliseconds. */
const missingMs = 10 * 60 * 1000
const maxNames = 10_000

/** Asks `users.info`, which needs the scope `users:read`: events name people by their ids only. */
export function createSlackNames(api: SlackApi, now: () => number): FindSlackName {
  const known = new Map<string, { readonly name: string | undefined; readonly until: number }>()

  async function ask(userId: string): Promise<string | undefined> {
    const ends = new AbortController()
    try {
      const asked = api.call('users.info', { user: userId }, { signal: ends.signal })
      const { user } = User.parse((await withTimeout(asked, maxWaitMs))?.json)
      const { display_name: shown, real_name: real } = user.profile ?? {}
      return [shown, real, user.real_name, user.name].find((name) => name?.trim())?.trim()
    } catch {
      return undefined
    } finally {
      ends.abort()
    }
  }

  return async (userId) => {
    const before = known.get(userId)
    if (before && before.until > now()) return before.name
    const name = await ask(userId)
    if (known.size >= maxNames) known.clear()
    known.set(userId, { name, until: now() + (name === undefined ? missingMs : keptMs) })
    return name
  }
}
