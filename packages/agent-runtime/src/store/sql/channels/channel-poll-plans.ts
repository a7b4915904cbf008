import type { Kysely } from 'kysely'
import { buildOnce, change, first } from '@homeward/kit/sql'
import type { Lease } from '../../ports/lease.ts'
import { createSourceStatements } from './channel-statements.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'

/** The verbs of `ChannelStore` on asking for messages as plans. */
export function createChannelPollPlans(db: Kysely<RuntimeTables>) {
  const sources = buildOnce(db, createSourceStatements)
  return {
    *claimPolling(
      source: string,
      { owner, until }: Lease,
      now: string,
    ): Plan<{ readonly offset?: number } | undefined> {
      const poll = yield* first(sources.findPoll, { source })
      const isTaken =
        poll?.lease_owner !== undefined && poll.lease_owner !== null && poll.lease_owner !== owner
      if (isTaken && (poll.lease_until ?? '') > now) return undefined
      yield* change(sources.leasePoll, { source, owner, until })
      const offset = poll?.next_offset ?? undefined
      return offset === undefined ? {} : { offset }
    },

    *releasePolling(source: string, owner: string): Plan<void> {
      yield* change(sources.releasePoll, { source, owner })
    },
  }
}
