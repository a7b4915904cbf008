import type { Kysely } from 'kysely'
import { all, buildOnce, change, compileStatement, each } from '@homeward/kit/sql'
import type { StoredRoute } from '../../ports/channel-chat.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import type { ChannelRoutesTable } from './chat-tables.ts'

type Key = Pick<ChannelRoutesTable, 'channel' | 'conversation'>

/** Statements on routes. */
function createRouteStatements(db: Kysely<RuntimeTables>) {
  return {
    put: compileStatement<ChannelRoutesTable, unknown>('write', (row) =>
      db
        .insertInto('channel_routes')
        .values({ channel: row.channel, conversation: row.conversation, agent_id: row.agent_id })
        .onConflict((conflict) =>
          conflict
            .columns(['channel', 'conversation'])
            .doUpdateSet((eb) => ({ agent_id: eb.ref('excluded.agent_id') })),
        ),
    ),
    deleteAll: compileStatement<{ channel: string }, unknown>('write', ({ channel }) =>
      db.deleteFrom('channel_routes').where('channel', '=', channel),
    ),
    find: compileStatement<Key, ChannelRoutesTable>('read', ({ channel, conversation }) =>
      db
        .selectFrom('channel_routes')
        .selectAll()
        .where('channel', '=', channel)
        .where('conversation', '=', conversation),
    ),
    list: compileStatement<{ channel: string }, ChannelRoutesTable>('read', ({ channel }) =>
      db.selectFrom('channel_routes').selectAll().where('channel', '=', channel).orderBy('conversation'),
    ),
  }
}

/** The verbs of `ChatStore` on routes as plans. */
export function createRoutePlans(db: Kysely<RuntimeTables>) {
  const routes = buildOnce(db, createRouteStatements)
  return {
    *setChannelRoutes(channel: string, given: readonly StoredRoute[]): Plan<true> {
      yield* change(routes.deleteAll, { channel })
      if (given.length > 0) {
        yield* each(
          routes.put,
          given.map((route) => toRow(channel, route)),
        )
      }
      return true
    },

    *listChannelRoutes(channel: string): Plan<readonly StoredRoute[]> {
      return (yield* all(routes.list, { channel })).map(toRoute)
    },

    *findChannelRoutes(channel: string, conversations: readonly string[]): Plan<readonly StoredRoute[]> {
      if (conversations.length === 0) return []
      const rows = yield* each(
        routes.find,
        [...new Set(conversations)].map((conversation) => ({ channel, conversation })),
      )
      return rows.map(toRoute)
    },
  }
}

/** Setting one route, as part of another plan. */
export function createPutRoute(db: Kysely<RuntimeTables>) {
  const routes = buildOnce(db, createRouteStatements)
  return function* putRoute({ channel, ...route }: StoredRoute & { readonly channel: string }): Plan<void> {
    yield* change(routes.put, toRow(channel, route))
  }
}

function toRow(channel: string, { conversation, agentId }: StoredRoute): ChannelRoutesTable {
  return { channel, conversation, agent_id: agentId }
}

function toRoute({ conversation, agent_id: agentId }: ChannelRoutesTable): StoredRoute {
  return { conversation, agentId }
}
