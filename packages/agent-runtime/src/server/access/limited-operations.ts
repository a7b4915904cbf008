import type { Operation, ReplyOf } from '@homeward/contract'
import type { AgentPlatformOperations, OpenAiOperations, Run } from '@homeward/contract/agent-platform'
import type { Call } from '@homeward/contract/handler'
import type { RuntimeServices } from '../../runtime/services.ts'
import type { PlatformCaller } from './platform-caller.ts'
import type { Reach, Subject } from './reach.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'

/** When the first of a chain of reruns was created: what runs `from: 'failed'` has the graph of that time. */
async function firstCreatedAt(
  { runs }: Pick<RuntimeServices, 'runs'>,
  { rerun_of: id, created_at }: Run,
): Promise<string> {
  if (id === undefined) return created_at
  const before = await runs.find(id)
  return before ? firstCreatedAt({ runs }, before) : '' // removed by retention
}

/** A run from its failed node has the graph of that time: no later change of the graph lets a caller start it. */
const limitRerun: LimitRule<AgentPlatformOperations['rerun']> = {
  async before(call, { reach, services }) {
    const before = await services.runs.find(call.params.id)
    if (!before) return call
    const asOf = call.body.from && { graph_as_of: await firstCreatedAt(services, before) }
    await reach.assert('The run', { ...before, ...asOf })
    return call
  },
}

/** What a rule works with. */
interface RuleContext {
  readonly reach: Reach
  readonly services: RuntimeServices
}

/** How an operation is limited to some agents, or to a user. */
export interface LimitRule<O extends Operation> {
  /** Checks a call before it is carried out, and gives it with the user of the caller. @throws {HttpError} 403 */
  before?(
    call: Call<O, PlatformCaller>,
    context: RuleContext,
  ): Call<O, PlatformCaller> | Promise<Call<O, PlatformCaller>>
  /** Takes out of a reply what is out of reach. Pages of lists may have fewer rows than were asked for. */
  after?(reply: ReplyOf<O>, context: RuleContext): Promise<ReplyOf<O>>
}

type Operations = AgentPlatformOperations & OpenAiOperations

type Rules = { readonly [Id in keyof Operations]?: LimitRule<Operations[Id]> }

/** A rule for what is about no agent. */
const open = {}

/** For the one whose query or body names the agent and the user. */
const named = (what: string) => ({
  async before<C extends { readonly body: Subject }>(call: C, { reach }: RuleContext): Promise<C> {
    const body = forUser(reach, call.body)
    await reach.assert(what, body)
    return { ...call, body }
  },
})

const forUser = <Fields extends Subject>(reach: Reach, fields: Fields): Fields => ({
  ...fields,
  // absent stays absent for those who act for anybody
  ...reach.forUser({ ...(fields.user_id !== undefined && { user_id: fields.user_id }) }),
})

type Find = (services: RuntimeServices, id: string) => Promise<Subject | undefined>
/** For what is looked up by the id of the path. */
const found = (what: string, find: Find) => ({
  async before<C extends { readonly params: { readonly id: string } }>(
    call: C,
    { reach, services }: RuleContext,
  ): Promise<C> {
    const subject = await find(services, call.params.id)
    if (subject) await reach.assert(what, subject)
    return call
  },
})

const run = found('The run', ({ runs }, id) => runs.find(id))
const task = found('The task', ({ tasks }, id) => tasks.find(id))
/** Its tasks belong to no user. */
const schedule = found('The schedule', async ({ schedules }, id) => {
  const state = await schedules.find(id)
  return state && { agent_id: state.agent_id, graph_id: state.graph_id }
})

const conversation = {
  async before<C extends { readonly params: { readonly id: string } }>(
    call: C,
    context: RuleContext,
  ): Promise<C> {
    await assertConversation(call.params.id, context)
    return call
  },
}

/** About an agent, whoever the user is. */
const agentOf = ({ userId }: Reach, id: string): Subject => ({ agent_id: id, user_id: userId })

const agent = {
  async before<C extends { readonly params: { readonly id: string } }>(
    call: C,
    { reach }: RuleContext,
  ): Promise<C> {
    await reach.assert('The agent', agentOf(reach, call.params.id))
    return call
  },
}

const model = {
  async before<C extends { readonly body: { readonly model: string; readonly user?: string | undefined } }>(
    call: C,
    { reach }: RuleContext,
  ): Promise<C> {
    const { user_id: user } = reach.forUser({
      ...(call.body.user !== undefined && { user_id: call.body.user }),
    })
    await reach.assert('The model', { agent_id: call.body.model, user_id: user })
    return { ...call, body: { ...call.body, ...(user !== undefined && user !== null && { user }) } }
  },
}

const memories = <Field extends 'query' | 'body'>(field: Field) => ({
  async before<C extends { readonly [Name in Field]: Subject }>(call: C, { reach }: RuleContext): Promise<C> {
    const fields = forUser(reach, call[field])
    await reach.assert('Searching memories without "agent_id"', fields)
    return { ...call, [field]: fields }
  },
})

/**
 * How each operation is limited for a caller who reaches some agents only, or acts for one user (A26). What is not listed
 * here is out of reach of such a caller.
 */
export const limitedOperations: Rules = {
  listAgents: {
    after: async (reply, context) => ({
      agents: await within(reply.agents, context, ({ id }) => agentOf(context.reach, id)),
    }),
  },
  getAgent: agent,
  listRememberedApprovals: agent,
  forgetApproval: agent,

  runAgent: named('The agent'),
  streamAgentRun: named('The agent'),
  runGraph: named('The graph'),
  streamGraphRun: named('The graph'),
  listRuns: {
    async after({ runs, next_cursor: next }, context) {
      const kept = await within(runs, context, (each) => each)
      // without counts, which would tell of other agents
      return { runs: kept, ...(next !== undefined && { next_cursor: next }) }
    },
  },
  getRun: run,
  listRunSteps: run,
  rerun: limitRerun,
  streamRunEvents: run,
  cancelRun: run,
  decideApproval: run,

  createTask: named('The task'),
  listTasks: {
    async after(reply, context) {
      if (!('tasks' in reply)) {
        await context.reach.assert('The task', reply.task)
        return reply
      }
      return { ...reply, tasks: await within(reply.tasks, context, (each) => each) }
    },
  },
  getTask: task,
  cancelTask: task,
  retryTask: task,

  listGraphs: {
    after: async (reply, context) => ({
      graphs: await within(reply.graphs, context, ({ id }) => ({
        graph_id: id,
        user_id: context.reach.userId,
      })),
    }),
  },
  getGraph: {
    async before(call, { reach }) {
      await reach.assert('The graph', { graph_id: call.params.id, user_id: reach.userId })
      return call
    },
  },
  listSchedules: {
    after: async (reply, context) => ({
      ...reply,
      schedules: await within(reply.schedules, context, ({ agent_id, graph_id }) => ({
        agent_id,
        graph_id,
        user_id: context.reach.userId,
      })),
    }),
  },

  runSchedule: schedule,
  listScheduleHistory: schedule,
  listConversations: {
    async after(reply, context) {
      if (!('conversations' in reply)) {
        await context.reach.assert('The conversation', reply.conversation)
        return reply
      }
      return { ...reply, conversations: await within(reply.conversations, context, (each) => each) }
    },
  },
  getConversation: conversation,
  renameConversation: conversation,
  deleteConversation: conversation,
  summarizeConversation: {
    async before(call, context) {
      await assertConversation(call.body.conversation_id, context)
      return call
    },
  },
  appendMessage: {
    async before(call, context) {
      const body = forUser(context.reach, call.body)
      const { conversation_id: id, agent_id } = body
      const isKnown = id !== undefined && (await assertKnownConversation(id, context))
      if (!isKnown) await context.reach.assert('The agent', { agent_id, user_id: body.user_id })
      return { ...call, body }
    },
  },

  writeMemory: named('The agent'),
  searchMemory: memories('query'),
  searchMemoryByBody: memories('body'),

  listOpenAiModels: {
    after: async (reply, context) => ({
      ...reply,
      data: await within(reply.data, context, ({ id }) => agentOf(context.reach, id)),
    }),
  },
  getOpenAiModel: {
    async before(call, { reach }) {
      await reach.assert('The model', agentOf(reach, call.params.model))
      return call
    },
  },
  createChatCompletion: model,
  createResponse: model,

  // ids of files cannot be guessed, and stand in what is within reach only
  getFile: open,
  // its tools call the operations above, as the same caller
  callAgentTools: open,
  previewSchedule: open,
  getSettings: open,
  listModels: open,
  listModelProviders: open,
  listSkills: open,
  getSkill: open,
  getSkillSetup: open,
}

/** The rows that are within the reach of a caller. */
async function within<Row>(
  rows: readonly Row[],
  { reach }: { readonly reach: Reach },
  subjectOf: (row: Row) => Subject,
): Promise<Row[]> {
  const kept: Row[] = []
  for (const row of rows) if (await reach.has(subjectOf(row))) kept.push(row)
  return kept
}

/** What the check of a conversation works with. */
interface ConversationContext {
  readonly reach: Reach
  readonly services: Pick<RuntimeServices, 'conversations'>
}

/** @throws {HttpError} 403 for a conversation out of reach @throws {RuntimeError} `not_found` */
async function assertConversation(id: string, { reach, services }: ConversationContext): Promise<void> {
  const { conversation } = await services.conversations.get(id, { limit: 1 })
  await reach.assert('The conversation', conversation)
}

/** The same for one that need not be there. @returns whether it is there. */
async function assertKnownConversation(id: string, context: ConversationContext): Promise<boolean> {
  try {
    await assertConversation(id, context)
    return true
  } catch (error) {
    if (RuntimeError.is(error) && error.code === 'not_found') return false
    throw error
  }
}
