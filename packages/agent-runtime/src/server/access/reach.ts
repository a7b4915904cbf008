import type { RuntimeServices } from '../../runtime/services.ts'
import type { Subjects } from '../../store/ports/run-store.ts'
import { forbidden, notOfUser, type PlatformCaller } from './platform-caller.ts'

/** Which agent or graph something is about, and for which user. */
export interface Subject {
  readonly agent_id?: string | null | undefined
  readonly graph_id?: string | null | undefined
  readonly user_id?: string | null | undefined
  /** The graph as it was at this time. If it has changed since, its agents are not known. */
  readonly graph_as_of?: string | undefined
}

/** What a limited caller reaches: its agents, for its user. */
export interface Reach {
  readonly userId: string | undefined
  /** Whether something is of the caller's user. */
  isOwn(subject: Subject): boolean
  /** Whether something is within reach: it is of a permitted agent, or of a graph of permitted agents only. */
  has(subject: Subject): Promise<boolean>
  /** @throws {HttpError} 403 for what is out of reach; `what` names it. */
  assert(what: string, subject: Subject): Promise<void>
  /** The same fields with the caller's user. @throws {HttpError} 403 for those that name another user */
  forUser<Fields extends { readonly user_id?: string | null | undefined }>(fields: Fields): Fields
  /** The agents and graphs that lists are limited to. @returns undefined if the caller reaches all */
  subjects(): Promise<Subjects | undefined>
}

/**
 * Builds the reach of a caller. An agent may call other agents, as its own definition says: the limit is about what a
 * caller starts and sees. A graph is within reach if all of its agents are, those of its inner graphs too.
 */
export function createReach(
  { agents, userId }: PlatformCaller,
  { graphs }: Pick<RuntimeServices, 'graphs'>,
): Reach {
  const permitted = agents && new Set(agents)

  async function hasGraph(id: string, seen: Set<string>, asOf?: string): Promise<boolean> {
    if (permitted === undefined || seen.has(id)) return true
    seen.add(id)
    const graph = await graphs.find(id)
    if (graph === undefined || (asOf !== undefined && graph.updated_at >= asOf)) return false
    for (const node of graph.nodes) {
      if (node.agent !== undefined && !permitted.has(node.agent)) return false
      if (node.graph !== undefined && !(await hasGraph(node.graph, seen))) return false
    }
    return true
  }

  const isOwn = ({ user_id }: Subject) => userId === undefined || user_id === userId

  async function has(subject: Subject): Promise<boolean> {
    const { agent_id: agentId, graph_id: graphId, graph_as_of: asOf } = subject
    if (!isOwn(subject)) return false
    if (permitted === undefined) return true
    if (typeof agentId === 'string') return permitted.has(agentId)
    return typeof graphId === 'string' && hasGraph(graphId, new Set(), asOf)
  }

  return {
    userId,
    isOwn,
    has,
    async assert(what, subject) {
      if (await has(subject)) return
      throw forbidden(
        `${what} is not allowed for this caller, who is limited to certain agents or to one user.`,
      )
    },
    forUser(fields) {
      if (userId === undefined) return fields
      const { user_id: asked } = fields
      if (asked === undefined || asked === null || asked === userId) return { ...fields, user_id: userId }
      throw notOfUser('A "user_id" of another user')
    },
    async subjects() {
      if (permitted === undefined) return undefined
      const graphIds: string[] = []
      for (const { id } of await graphs.list()) if (await hasGraph(id, new Set())) graphIds.push(id)
      return { agentIds: [...permitted], graphIds }
    },
  }
}
