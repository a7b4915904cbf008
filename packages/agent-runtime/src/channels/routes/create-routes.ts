import type { ChannelRoute } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { ChatStore } from '../../store/ports/channel-chat.ts'
import type { Channels } from '../channels.ts'

/** What {@link createRoutes} needs in addition to the store. */
interface RoutesContext {
  /** The documented name of a channel. @throws {RuntimeError} `not_found` that begins with what was attempted */
  idOf(name: string, attempt: string): string
  readonly findAgent: (id: string) => Promise<object | undefined>
}

type Store = Pick<ChatStore, 'listChannelRoutes' | 'setChannelRoutes'>

const setting = 'Setting the routes of a channel'

/** Which agent answers in which chat, for the operator to see and to set. */
export function createRoutes(
  store: Store,
  { idOf, findAgent }: RoutesContext,
): Pick<Channels, 'routes' | 'setRoutes'> {
  async function problemOf(routes: readonly ChannelRoute[]): Promise<string | undefined> {
    const known = new Set<string>()
    for (const [index, { conversation, agent_id: agentId }] of routes.entries()) {
      if (known.has(conversation))
        return `routes[${index}] has the same conversation as an earlier route. Remove one of the two.`
      known.add(conversation)
      if ((await findAgent(agentId)) === undefined)
        return `routes[${index}]: no agent has the id "${agentId}". Create the agent, or use the id of another one.`
    }
    return undefined
  }

  return {
    async routes(name, signal) {
      const channel = idOf(name, 'Listing the routes of a channel')
      const stored = await store.listChannelRoutes(channel, signal)
      return stored.map(({ conversation, agentId }) => ({ conversation, agent_id: agentId }))
    },
    async setRoutes(name, given) {
      const channel = idOf(name, setting)
      const routes = given.map((route) => ({ ...route, conversation: withoutChannel(channel, route) }))
      const problem = await problemOf(routes)
      if (problem !== undefined) throw new RuntimeError('validation_error', `${setting} failed: ${problem}`)
      const stored = routes.map(({ conversation, agent_id: agentId }) => ({ conversation, agentId }))
      await store.setChannelRoutes(channel, stored)
      return routes
    },
  }
}

/** `channel_a:42`, as messages name their chat, is `42`. */
function withoutChannel(channel: string, { conversation }: ChannelRoute): string {
  const prefix = `${channel}:`
  const isPrefixed = conversation.startsWith(prefix) && conversation.length > prefix.length
  return isPrefixed ? conversation.slice(prefix.length) : conversation
}
