import type {
  AllowedPlaces,
  FoundSubject,
  NamedSubject,
  Operation,
  OperationSubject,
  Place,
  ReplyOf,
  RowsSubject,
  ShownFields,
} from '@homeward/contract'
import {
  Allowance,
  CustomId,
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
import { ownId } from '../../store/own-conversation.ts'
import { forbidden, notOfUser, type PlatformCaller } from './platform-caller.ts'
import type { Reach, Subject } from './reach.ts'

/** What a rule works with. */
interface RuleContext {
  readonly caller: PlatformCaller
  readonly reach: Reach
  readonly services: RuntimeServices
}

type AnyCall = Call<Operation, PlatformCaller>

/** How an operation is limited to some agents, or to a user. */
interface LimitRule<O extends Operation> {
  /**
   * Checks a call before it is carried out, and gives it with the user of the caller.
   *
   * @throws {HttpError} 403
   */
  before?(
    call: Call<O, PlatformCaller>,
    context: RuleContext,
  ): Call<O, PlatformCaller> | Promise<Call<O, PlatformCaller>>
  /** Takes out of a reply what is out of reach. */
  after?(reply: ReplyOf<O>, context: RuleContext): Promise<ReplyOf<O>>
}

type Operations = AgentPlatformOperations & OpenAiOperations
type Ruled = {
  [Id in keyof Operations]: Operations[Id] extends { readonly subject: 'rule' } ? Id : never
}[keyof Operations]

/** Of collections, a caller for one user reaches those with `per_user`, and its own documents in them. */
const ofOwnCollection = {
  async before(call: AnyCall, { reach, services }: RuleContext): Promise<AnyCall> {
    const { userId } = reach
    if (userId === undefined) return call
    const id = textAt(call, 'params.id') ?? ''
    const documentId = textAt(call, 'params.document_id')
    const isOwn = async () => {
      if (!(await services.collections.find(id))?.per_user) return false
      if (documentId === undefined) return true
      const document = await unlessMissing(() => services.collections.document(id, documentId))
      return document?.user_id === userId
    }
    if (!(await isOwn())) {
      // the same as for unknown ones
      const place =
        documentId === undefined || !(await services.collections.find(id))?.per_user ? 'id' : 'document_id'
      return withValue(call, `params.${place}`, unknownId)
    }
    const place = userPlaces.find(
      (each) => (call as unknown as Record<string, unknown>)[each.split('.')[0]!] !== undefined,
    )
    if (place === undefined) return call
    return withValue(call, place, reach.forUser(userOf(valueAt(call, place))).user_id)
  },
}

/** Where operations on documents name their user. */
const userPlaces = ['body.user_id', 'query.user_id'] as const satisfies readonly Place[]

/** The operations whose row says `rule`. Leaving one out does not compile. */
const limitedOperations: { readonly [Id in Ruled]: LimitRule<Operations[Id]> } = {
  /** A run from its failed node has the graph of that time: no later change of the graph lets a caller start it. */
  rerun: {
    async before(call, { reach, services }) {
      const before = await services.runs.find(call.params.id)
      if (!before) return call
      if (!reach.isOwn(before)) return withValue(call, 'params.id', unknownId)
      const asOf = call.body.from && { graph_as_of: await firstCreatedAt(services, before) }
      await reach.assert('The run', { ...before, ...asOf })
      return call
    },
  },
  /** Of a conversation that is there, its own agent counts, or else the agent of the message. */
  appendMessage: {
    async before(given, context) {
      const { user_id: asked, agent_id } = given.body
      const user = context.reach.forUser(asked === undefined ? {} : { user_id: asked })
      const named = { ...given, body: { ...given.body, ...user } }
      const call = await withConversation(named, 'body.conversation_id', context)
      const { conversation_id: id } = call.body
      const known = id === undefined ? undefined : await finders.conversation(context.services, id)
      if (known) await context.reach.assert('The conversation', known)
      else await context.reach.assert('The agent', { agent_id, ...user })
      return call
    },
  },
  listCollections: {
    async after(reply, { reach }) {
      if (reach.userId === undefined) return reply
      return { collections: reply.collections.filter(({ per_user: perUser }) => perUser) }
    },
  },
  getCollection: ofOwnCollection,
  addDocuments: ofOwnCollection,
  listDocuments: ofOwnCollection,
  getDocument: ofOwnCollection,
  deleteDocument: ofOwnCollection,
  searchDocuments: ofOwnCollection,
}

/**
 * How an operation is limited for a caller who reaches some agents only, or acts for one user (A26), as its row says.
 *
 * @throws {HttpError} 403 for what only callers without limits may call.
 */
export function limitOf(id: string, subject: OperationSubject | undefined): LimitRule<Operation> {
  const { before, after } = ruleOf(id, subject)
  return {
    async before(given, context) {
      const call = context.reach.userId === undefined ? given : withOwnKey(given, context.reach.userId)
      return before ? before(call, context) : call
    },
    ...(after && { after }),
  }
}

function ruleOf(id: string, subject: OperationSubject | undefined): LimitRule<Operation> {
  if (subject === 'none') return {}
  if (subject === 'shared')
    return {
      before(call, context) {
        assertForAll(context)
        return call
      },
    }
  if (subject === undefined || subject === 'all')
    throw forbidden(
      'This operation is not allowed for a caller who is limited to certain agents or to one user.',
    )
  if (subject === 'rule')
    return (limitedOperations as unknown as Readonly<Record<string, LimitRule<Operation>>>)[id]! // of the same id
  if ('rows' in subject) return limitRows(subject)
  return 'found' in subject ? { before: limitFound(subject) } : limitNamed(subject)
}

type Before = NonNullable<LimitRule<Operation>['before']>
type After = NonNullable<LimitRule<Operation>['after']>

/** @throws {HttpError} 403 for a caller who acts for one user */
function assertForAll({ reach }: RuleContext): void {
  if (reach.userId !== undefined) throw notOfUser('This operation')
}

/** For the one whose call names the agent or the graph, and the user. */
function limitNamed(subject: NamedSubject): LimitRule<Operation> {
  const { agent, graph, user, conversation, allow, shown } = subject
  const before: Before = async (given, context) => {
    const { reach, caller } = context
    if (user === 'nobody') assertForAll(context)
    const call = allow ? withMetadata(assertAllowed(given, allow, caller), allow, caller) : given
    const isPlace = user !== 'nobody' && user !== 'everyone'
    const own = isPlace ? reach.forUser(userOf(valueAt(call, user))) : { user_id: reach.userId }
    const [agentId, graphId] = [agent && textAt(call, agent), graph && textAt(call, graph)]
    await reach.assert(nameOf(agentId, graphId), { agent_id: agentId, graph_id: graphId, ...own })
    const named = isPlace && own.user_id !== undefined ? withValue(call, user, own.user_id) : call
    return conversation ? withConversation(named, conversation, context) : named
  }
  return { before, ...(shown && { after: showFields(shown) }) }
}

const nameOf = (agentId: string | undefined, graphId: string | undefined) =>
  agentId !== undefined ? 'The agent' : graphId !== undefined ? 'The graph' : 'Leaving out the agent'

/** What names no user stays without one, for those who act for anybody. */
const userOf = (given: unknown): Pick<Subject, 'user_id'> =>
  given === undefined ? {} : { user_id: given as string | null } // as the schema of the operation says

/** @throws {HttpError} 403 for a field that the token of a user does not allow. */
function assertAllowed(call: AnyCall, allow: AllowedPlaces, { userId, allow: allowed }: PlatformCaller) {
  if (userId === undefined) return call
  for (const name of Allowance.options) {
    if (allowed?.includes(name)) continue
    const place = allow[name]?.find((each) => valueAt(call, each) !== undefined)
    if (place === undefined) continue
    const field = place.slice(place.indexOf('.') + 1)
    throw forbidden(
      `Setting "${field}" is not allowed for this caller, who acts for one user. Leave it out, or use a token with "allow": ["${name}"].`,
    )
  }
  return call
}

/** The same call with the metadata that the app has fixed for its caller. */
function withMetadata<C extends object>(
  call: C,
  { metadata: places }: AllowedPlaces,
  { metadata }: PlatformCaller,
): C {
  const [place] = places ?? []
  if (place === undefined || metadata === undefined) return call
  return withValue(call, place, { ...(valueAt(call, place) as object | undefined), ...metadata })
}

/** The same for a caller who reaches everything. */
export function withFixedMetadata<C extends object>(
  subject: OperationSubject | undefined,
  call: C,
  caller: PlatformCaller,
): C {
  const isNamed = typeof subject === 'object' && 'allow' in subject && subject.allow !== undefined
  return isNamed ? withMetadata(call, subject.allow, caller) : call
}

/** The same call with another value at a place. */
function withValue<C extends object>(call: C, place: Place, value: unknown): C {
  const [part = '', name = ''] = place.split('.')
  const fields = (call as Readonly<Record<string, object>>)[part]
  return { ...call, [part]: { ...fields, [name]: value } }
}

/** The same call with the id under which the conversation that the user named is stored. */
async function withConversation<C extends object>(
  call: C,
  place: Place,
  { reach: { userId }, services }: RuleContext,
): Promise<C> {
  const id = textAt(call, place)
  if (userId === undefined || id === undefined) return call
  return withValue(call, place, await services.conversations.storedId(id, userId))
}

/** The same call with a key that is the user's own: that of another user says nothing about it. */
function withOwnKey(call: AnyCall, userId: string): AnyCall {
  const key = textAt(call, 'body.idempotency_key') ?? call.request.header('idempotency-key')
  // a wrong header is for the handler to refuse
  if (!CustomId.safeParse(key).success || typeof call.body !== 'object') return call
  return withValue(call, 'body.idempotency_key', ownId(key!, userId))
}

/** No id of anything: looking it up fails as for any unknown id. */
const unknownId = '\u001f'

/** For things that are looked up. The handler reports a missing thing, and the thing of another user as a missing one. */
function limitFound({ found, id: place, user }: FoundSubject): Before {
  return async (given, context) => {
    const { reach, services } = context
    if (user === 'nobody') assertForAll(context)
    const call = found === 'conversation' ? await withConversation(given, place, context) : given
    const asked = textAt(call, 'query.user_id') ?? textAt(call, 'body.user_id')
    if (asked !== undefined) reach.forUser({ user_id: asked })
    const subject = await finders[found](services, textAt(call, place) ?? '', asked)
    if (!subject) return call
    if (user === 'own' && !reach.isOwn(subject)) return withValue(call, place, unknownId)
    await reach.assert(`The ${found}`, subject)
    return call
  }
}

type Find = (services: RuntimeServices, id: string, userId?: string) => Promise<Subject | undefined>

const finders: { readonly [Kind in FoundSubject['found']]: Find } = {
  run: ({ runs }, id) => runs.find(id),
  task: ({ tasks }, id) => tasks.find(id),
  /** Its tasks belong to no user. */
  async schedule({ schedules }, id) {
    const state = await schedules.find(id)
    return state && { agent_id: state.agent_id, graph_id: state.graph_id }
  },
  conversation: ({ conversations }, id, userId) =>
    unlessMissing(async () => (await conversations.get(id, { limit: 1, userId })).conversation),
  async response({ responses }, id) {
    const stored = await responses.find(id)
    return stored && { agent_id: stored.agentId, user_id: stored.userId }
  },
  memory: ({ memory }, id) => memory.find(id),
  /** It belongs to the run or the task that has it, or to the conversation whose messages do. */
  file: (services, id) =>
    unlessMissing(async () => {
      const { kind, id: ownerId = '', conversationId } = (await services.files.get(id)).owner ?? {}
      const had = kind === 'run' || kind === 'task' ? await finders[kind](services, ownerId) : undefined
      if (had || conversationId === undefined) return had ?? {}
      return (await finders.conversation(services, conversationId)) ?? {}
    }),
}

async function unlessMissing<Found>(find: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await find()
  } catch (error) {
    if (RuntimeError.is(error) && error.code === 'not_found') return undefined
    throw error
  }
}

/** A row of a list, of which only ids are read. */
type Row = Readonly<Record<string, string | null | undefined>>

/** For lists: what is out of reach is not in them. */
function limitRows(subject: RowsSubject): LimitRule<Operation> {
  const { rows: field, single, agent, graph, user, conversation, without = [], shown } = subject
  const show = shown && showFields(shown)
  return {
    async before(given, context) {
      const { reach } = context
      if (user === 'nobody') assertForAll(context)
      const isOwned = typeof user === 'object'
      const own = isOwned ? reach.forUser(userOf(valueAt(given, user.filter))) : {}
      const filtered = isOwned && own.user_id ? withValue(given, user.filter, own.user_id) : given
      const call = conversation ? await withConversation(filtered, conversation, context) : filtered
      const isSingle = single !== undefined && textAt(call, single.id) !== undefined
      return isSingle ? limitFound({ ...single, user: 'own' })(call, context) : call
    },
    async after(given, context) {
      const reply = given as Readonly<Record<string, unknown>> // of JSON, by its schema
      if (single !== undefined && single.in in reply) return reply
      const { reach } = context
      const subjectOf = (row: Row): Subject => ({
        agent_id: agent && row[agent],
        graph_id: graph && row[graph],
        user_id: typeof user === 'object' ? row[user.field] : reach.userId,
      })
      const kept: Row[] = []
      for (const row of reply[field] as readonly Row[]) if (await reach.has(subjectOf(row))) kept.push(row)
      const fields = Object.entries(reply).filter(([name]) => !without.includes(name))
      const left = { ...Object.fromEntries(fields), [field]: kept }
      return show ? show(left, context) : left
    },
  }
}

/** Leaves of objects what a caller for one user may see. */
function showFields({ in: at, fields }: ShownFields): After {
  const cut = (whole: object) =>
    Object.fromEntries(Object.entries(whole).filter(([name]) => fields.includes(name)))
  return async (given, { reach }) => {
    if (reach.userId === undefined) return given
    const reply = given as Readonly<Record<string, object | readonly object[]>> // of JSON, by its schema
    const value = reply[at] ?? []
    return { ...reply, [at]: Array.isArray(value) ? (value as object[]).map(cut) : cut(value) }
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
