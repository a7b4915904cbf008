import type {
  FoundSubject,
  NamedSubject,
  Operation,
  OperationSubject,
  Place,
  ReplyOf,
  RowsSubject,
} from '@homeward/contract'
import {
  textAt,
  valueAt,
  type AgentPlatformOperations,
  type OpenAiOperations,
  type Run,
} from '@homeward/contract/agent-platform'
import type { Call } from '@homeward/contract/handler'
import { decrypt, encrypt } from '@homeward/kit'
import type { RuntimeServices } from '../../runtime/services.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { strangeCursor } from '../../store/cursor.ts'
import { forbidden, type PlatformCaller } from './platform-caller.ts'

/** What a rule works with. */
interface RuleContext {
  readonly reach: Reach
  readonly services: RuntimeServices
}

/** How an operation is limited to some agents, or to a user. */
interface LimitRule<O extends Operation> {
  /** Checks a call before it is carried out, and gives it with the user of the caller. @throws {HttpError} 403 */
  before?(
    call: Call<O, PlatformCaller>,
    context: RuleContext,
  ): Call<O, PlatformCaller> | Promise<Call<O, PlatformCaller>>
  /** Takes out of a reply what is out of reach. Pages of lists may have fewer rows than were asked for. */
  after?(reply: ReplyOf<O>, context: RuleContext): Promise<ReplyOf<O>>
}

type Operations = AgentPlatformOperations & OpenAiOperations
type Ruled = {
  [Id in keyof Operations]: Operations[Id] extends { readonly subject: 'rule' } ? Id : never
}[keyof Operations]

/** The operations whose row says `rule`. Leaving one out does not compile. */
const limitedOperations: { readonly [Id in Ruled]: LimitRule<Operations[Id]> } = {
  /** A run from its failed node has the graph of that time: no later change of the graph lets a caller start it. */
  rerun: {
    async before(call, { reach, services }) {
      const before = await services.runs.find(call.params.id)
      if (!before) return call
      const asOf = call.body.from && { graph_as_of: await firstCreatedAt(services, before) }
      await reach.assert('The run', { ...before, ...asOf })
      return call
    },
  },
  /** Of a conversation that is there, its own agent counts, or else the agent of the message. */
  appendMessage: {
    async before(call, context) {
      const { conversation_id: id, agent_id, user_id: asked } = call.body
      const user = context.reach.forUser(asked === undefined ? {} : { user_id: asked })
      const body = { ...call.body, ...user }
      const known = id !== undefined && (await findConversation(id, context.services))
      if (known) await context.reach.assert('The conversation', known)
      else await context.reach.assert('The agent', { agent_id, ...user })
      return { ...call, body }
    },
  },
}

/**
 * How an operation is limited for a caller who reaches some agents only, or acts for one user (A26), as its row says.
 *
 * @throws {HttpError} 403 for what only callers without limits may call.
 */
export function limitOf(id: string, subject: OperationSubject | undefined): LimitRule<Operation> {
  if (subject === 'none') return {}
  if (subject === undefined || subject === 'all')
    throw forbidden(
      'This operation is not allowed for a caller who is limited to certain agents or to one user.',
    )
  if (subject === 'rule')
    return (limitedOperations as unknown as Readonly<Record<string, LimitRule<Operation>>>)[id]! // of the same id
  if ('rows' in subject) return limitRows(subject)
  return { before: 'found' in subject ? limitFound(subject) : limitNamed(subject) }
}

type Before = NonNullable<LimitRule<Operation>['before']>

/** For the one whose call names the agent or the graph, and the user. */
function limitNamed({ agent, graph, user }: NamedSubject): Before {
  return async (call, { reach }) => {
    const given = user ? reach.forUser(userOf(valueAt(call, user))) : { user_id: reach.userId }
    const agentId = agent && textAt(call, agent)
    const graphId = graph && textAt(call, graph)
    await reach.assert(nameOf(agentId, graphId), { agent_id: agentId, graph_id: graphId, ...given })
    return user && given.user_id !== undefined ? withValue(call, user, given.user_id) : call
  }
}

const nameOf = (agentId: string | undefined, graphId: string | undefined) =>
  agentId !== undefined ? 'The agent' : graphId !== undefined ? 'The graph' : 'Leaving out the agent'

/** What names no user stays without one, for those who act for anybody. */
const userOf = (given: unknown): Pick<Subject, 'user_id'> =>
  given === undefined ? {} : { user_id: given as string | null } // as the schema of the operation says

/** The same call with another value at a place. */
function withValue<C extends object>(call: C, place: Place, value: unknown): C {
  const [part = '', name = ''] = place.split('.')
  const fields = (call as Readonly<Record<string, object>>)[part]
  return { ...call, [part]: { ...fields, [name]: value } }
}

/** For what is looked up. What is not there is for the handler to say. */
function limitFound({ found, id }: FoundSubject): Before {
  return async (call, { reach, services }) => {
    const subject = await finders[found](services, textAt(call, id) ?? '')
    if (subject) await reach.assert(`The ${found}`, subject)
    return call
  }
}

type Find = (services: RuntimeServices, id: string) => Promise<Subject | undefined>

const finders: { readonly [Kind in FoundSubject['found']]: Find } = {
  run: ({ runs }, id) => runs.find(id),
  task: ({ tasks }, id) => tasks.find(id),
  /** Its tasks belong to no user. */
  async schedule({ schedules }, id) {
    const state = await schedules.find(id)
    return state && { agent_id: state.agent_id, graph_id: state.graph_id }
  },
  conversation: (services, id) => findConversation(id, services),
}

/** A row of a list, of which only ids are read. */
type Row = Readonly<Record<string, string | null | undefined>>

/** For lists: what is out of reach is not in them. */
function limitRows(subject: RowsSubject): LimitRule<Operation> {
  const { rows: field, single, agent, graph, user, without = [] } = subject
  return {
    async after(given, { reach }) {
      const reply = given as Readonly<Record<string, unknown>> // of JSON, by its schema
      const subjectOf = (row: Row): Subject => ({
        agent_id: agent && row[agent],
        graph_id: graph && row[graph],
        user_id: user ? row[user] : reach.userId,
      })
      if (single !== undefined && single in reply) {
        await reach.assert(`The ${single}`, subjectOf(reply[single] as Row))
        return reply
      }
      const kept: Row[] = []
      for (const row of reply[field] as readonly Row[]) if (await reach.has(subjectOf(row))) kept.push(row)
      const shown = Object.entries(reply).filter(([name]) => !without.includes(name))
      return { ...Object.fromEntries(shown), [field]: kept }
    },
  }
}

/** When the first of a chain of reruns was created: what runs `from: 'failed'` has the graph of that time. */
async function firstCreatedAt(
  { runs }: Pick<RuntimeServices, 'runs'>,
  { rerun_of: id, created_at }: Run,
): Promise<string> {
  if (id === undefined) return created_at
  const before = await runs.find(id)
  return before ? firstCreatedAt({ runs }, before) : '' // removed by retention
}

async function findConversation(
  id: string,
  { conversations }: Pick<RuntimeServices, 'conversations'>,
): Promise<Subject | undefined> {
  try {
    return (await conversations.get(id, { limit: 1 })).conversation
  } catch (error) {
    if (RuntimeError.is(error) && error.code === 'not_found') return undefined
    throw error
  }
}

/** Which agent or graph something is about, and for which user. */
interface Subject {
  readonly agent_id?: string | null | undefined
  readonly graph_id?: string | null | undefined
  readonly user_id?: string | null | undefined
  /** The graph as it was at this time. If it has changed since, its agents are not known. */
  readonly graph_as_of?: string | undefined
}

/** What a limited caller reaches: its agents, for its user. */
interface Reach {
  readonly userId: string | undefined
  /** Whether something is within reach: it is of a permitted agent, or of a graph of permitted agents only. */
  has(subject: Subject): Promise<boolean>
  /** @throws {HttpError} 403 for what is out of reach; `what` names it. */
  assert(what: string, subject: Subject): Promise<void>
  /** The same fields with the caller's user. @throws {HttpError} 403 for those that name another user */
  forUser<Fields extends { readonly user_id?: string | null | undefined }>(fields: Fields): Fields
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

  async function has(subject: Subject): Promise<boolean> {
    const { agent_id: agentId, graph_id: graphId, user_id, graph_as_of: asOf } = subject
    if (userId !== undefined && user_id !== userId) return false
    if (permitted === undefined) return true
    if (typeof agentId === 'string') return permitted.has(agentId)
    return typeof graphId === 'string' && hasGraph(graphId, new Set(), asOf)
  }

  return {
    userId,
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
      throw forbidden(
        'This caller can act for one user only. Leave "user_id" out, or send the id of that user.',
      )
    },
  }
}

/** Cursors of limited callers. A list skips what is out of reach, so its cursor may be the place of something there. */
interface SealedCursors {
  /** The call with the cursor that the list gave. @throws {RuntimeError} `validation_error` for a cursor that was not sealed */
  open(call: Call<Operation, PlatformCaller>): Promise<Call<Operation, PlatformCaller>>
  /** The reply with a cursor that tells nothing. */
  seal(reply: unknown): Promise<unknown>
}

/** Seals cursors with a secret that all processes of a store share. */
export function createSealedCursors(secret: string): SealedCursors {
  return {
    async open(call) {
      const { cursor } = (call.query ?? {}) as { readonly cursor?: string }
      if (cursor === undefined) return call
      const opened = await decrypt(cursor, secret)
      if (opened === undefined) throw strangeCursor()
      return withValue(call, 'query.cursor', opened)
    },
    async seal(reply) {
      const { next_cursor: cursor } = (reply ?? {}) as { readonly next_cursor?: unknown }
      if (typeof cursor !== 'string') return reply
      return { ...(reply as object), next_cursor: await encrypt(cursor, secret) }
    },
  }
}
