import type { Operation, Place, RowsSubject } from '@homeward/contract'
import { agentPlatformOperations, openaiOperations, textAt } from '@homeward/contract/agent-platform'
import { HttpError } from '@homeward/contract/handler'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createRuntime, type AgentRuntime } from '../../index.ts'
import type { PlatformContext } from '../platform-context.ts'
import { createAccess } from './access.ts'
import type { PlatformCaller } from './platform-caller.ts'

const table: Readonly<Record<string, Operation>> = { ...agentPlatformOperations, ...openaiOperations }
const rowOf = (id: string) => table[id]!
const subjectOf = (id: string) => rowOf(id).subject as object
const local = Object.entries(table).filter(([, { auth }]) => auth === 'local')
type Owner = 'mine' | 'theirs'
type Ids = Readonly<
  Record<'run' | 'task' | 'schedule' | 'conversation' | 'response' | 'file' | 'memory', string>
>

let runtime: AgentRuntime
const ids: Partial<Record<Owner, Ids>> = {}

/** An agent and a graph with a run, a task, a schedule, a conversation, a response, a file and a memory of them, for a user of the same name. */
async function create(owner: Owner): Promise<Ids> {
  await runtime.agents.create({ id: owner, model: 'test/echo' })
  await runtime.graphs.create({ id: owner, nodes: [{ id: 'n', agent: owner }] })
  const request = { agent_id: owner, task: 'x', user_id: owner }
  const files = [{ name: 'a.txt', media_type: 'text/plain', data: new TextEncoder().encode('a') }]
  const conversation = `c-${owner}`
  const ended = await runtime.run({ ...request, conversation_id: conversation, files })
  const [message] = (await runtime.conversations.get(conversation)).messages
  const file = message?.files?.[0]?.id ?? ''
  const memory = (await runtime.memory.write({ agent_id: owner, user_id: owner, text: 'x' })).id
  const { task } = await runtime.tasks.create(request)
  const { schedule } = await runtime.schedules.create({ agent_id: owner, input: 'x', cron: '0 0 1 1 *' })
  const response = `resp_${ended.run_id}`
  await runtime.responses.save({ id: response, runId: ended.run_id, agentId: owner, userId: owner, body: {} })
  return { run: ended.run_id, task: task.id, schedule: schedule.id, conversation, response, file, memory }
}

beforeAll(async () => {
  runtime = createRuntime({ environment: {} })
  ids.mine = await create('mine')
  ids.theirs = await create('theirs')
})
afterAll(() => runtime.close())

const scopes = ['read', 'run', 'approve', 'admin'] as const
const limitedToAgent: PlatformCaller = { actor: 'token:agent', scopes, agents: ['mine'] }
const limitedToUser: PlatformCaller = { actor: 'user:mine', scopes, userId: 'mine' }

/** A call of an operation about what an owner has, as its row says where that stands. */
function callOf({ subject }: Operation, owner: Owner, given: 'with user' | 'without user') {
  const call: Record<string, Record<string, unknown>> = { params: {}, query: {}, body: {} }
  const put = (place: Place | undefined, value: unknown) => {
    const [part = '', name = ''] = place?.split('.') ?? []
    if (place !== undefined) call[part] = { ...call[part], [name]: value }
  }
  if (typeof subject !== 'object' || 'rows' in subject) return call
  if ('found' in subject) put(subject.id, ids[owner]?.[subject.found])
  else {
    // of an agent or a graph: each is tried alone
    put(subject.agent ?? subject.graph, owner)
    if (given === 'with user' && subject.user.includes('.')) put(subject.user as Place, owner)
  }
  return call
}

/** Lets a caller call an operation, whose handler gives a reply. @returns what it was called with, and what came back */
async function serve(id: string, caller: PlatformCaller, call: object, reply: unknown = { ok: true }) {
  const handle = vi.fn((_call: object) => Promise.resolve(reply))
  const context = {
    runtime,
    services: runtime,
    cursorSecret: 'secret',
    onError: () => {},
  } as unknown as PlatformContext
  const handlers = createAccess({ kind: 'none' }, context).protect({ [id]: handle })
  const request = { signal: new AbortController().signal, path: '/', header: () => undefined }
  const answer: unknown = await Promise.resolve(handlers[id]?.({ ...call, caller, request })).catch(
    (error: unknown) => error,
  )
  const status = answer instanceof HttpError ? answer.status : 200
  return { status, answer, given: handle.mock.calls[0]?.[0] as Record<string, unknown> | undefined }
}

const idsWith = (test: (subject: Operation['subject']) => boolean) =>
  local.flatMap(([id, { subject }]) => (test(subject) ? [id] : []))
const byCall = idsWith((subject) => typeof subject === 'object' && !('rows' in subject))
const byRows = idsWith((subject) => typeof subject === 'object' && 'rows' in subject)
/** Whether something belongs to a user, and to no agent. */
const isOfNoAgent = (id: string) => !['agent', 'graph', 'found'].some((name) => name in subjectOf(id))

describe('A26: for a caller who is limited to some agents', () => {
  it.each(byCall.filter((id) => !isOfNoAgent(id)))('%s is about its own agents only', async (id) => {
    const row = rowOf(id)
    expect((await serve(id, limitedToAgent, callOf(row, 'mine', 'with user'))).status).toBe(200)
    const refused = await serve(id, limitedToAgent, callOf(row, 'theirs', 'without user'))
    expect([refused.status, refused.given]).toEqual([403, undefined])
  })

  it.each(byCall.filter(isOfNoAgent))('%s is not allowed, because it belongs to no agent', async (id) => {
    expect((await serve(id, limitedToAgent, callOf(rowOf(id), 'mine', 'with user'))).status).toBe(403)
  })

  it.each(byCall.filter((id) => 'agent' in subjectOf(id)))('%s does not leave the agent out', async (id) => {
    expect((await serve(id, limitedToAgent, { params: {}, query: {}, body: {} })).status).toBe(403)
  })
})

describe('A26: for a caller who acts for one user', () => {
  const named = byCall.filter((id) => (subjectOf(id) as { user: string }).user.includes('.'))
  it.each(named)('%s gets the user of the caller, and no other', async (id) => {
    const row = rowOf(id)
    const { user } = row.subject as { readonly user: Place }
    const [part = '', name = ''] = user.split('.')
    const { given } = await serve(id, limitedToUser, callOf(row, 'mine', 'without user'))
    expect(given).toMatchObject({ [part]: { [name]: 'mine' } })
    expect((await serve(id, limitedToUser, callOf(row, 'theirs', 'with user'))).status).toBe(403)
  })

  it.each(byCall.filter((id) => 'found' in subjectOf(id)))(
    '%s is about what belongs to that user only',
    async (id) => {
      const row = rowOf(id)
      const { user, id: place } = row.subject as { readonly user: string; readonly id: Place }
      const own = await serve(id, limitedToUser, callOf(row, 'mine', 'with user'))
      const other = await serve(id, limitedToUser, callOf(row, 'theirs', 'with user'))
      if (user === 'nobody') return expect([own.status, other.status]).toEqual([403, 403])
      expect([own.status, textAt(own.given!, place)]).toEqual([
        200,
        textAt(callOf(row, 'mine', 'with user'), place),
      ])
      // an id that nothing has: the handler answers as for any unknown one
      const unknown = textAt(other.given!, place) ?? ''
      expect([other.status, unknown.includes('\u001f')]).toEqual([200, true])
    },
  )
})

const forNobody = idsWith((subject) =>
  typeof subject === 'object' ? subject.user === 'nobody' : subject === 'shared',
)

it.each(forNobody)(
  '%s belongs to nobody, and is not allowed for a caller who acts for one user',
  async (id) => {
    const call = callOf(rowOf(id), 'mine', 'with user')
    expect(await serve(id, limitedToUser, call)).toMatchObject({ status: 403, given: undefined })
  },
)

describe('A26: for every limited caller', () => {
  const rowsOf = (id: string, owner: Owner) => {
    const { rows: list, single, agent, graph, user, without = [] } = subjectOf(id) as RowsSubject
    const row = { [agent ?? graph ?? '']: owner, ...(typeof user === 'object' && { [user.field]: owner }) }
    return { list, single, user, row, secrets: Object.fromEntries(without.map((name) => [name, 7])) }
  }

  it.each(byRows)('%s leaves out the rows of others', async (id) => {
    const { list, row, secrets, single, user } = rowsOf(id, 'mine')
    const other = rowsOf(id, 'theirs').row
    const callers = [
      ...(isOfNoAgent(id) ? [] : [limitedToAgent]),
      ...(typeof user === 'object' ? [limitedToUser] : []),
    ]
    for (const caller of callers) {
      const reply = { [list]: [row, other], next_cursor: 'c', ...secrets }
      const { answer } = await serve(id, caller, {}, reply)
      const { next_cursor: cursor } = answer as { next_cursor: string }
      expect(answer).toEqual({ [list]: [row], next_cursor: cursor })
      const next = await serve(id, caller, { query: { cursor } }, reply)
      expect([cursor.length > 50, next.given]).toMatchObject([true, { query: { cursor: 'c' } }])
      if (single === undefined) continue
      const call = (owner: Owner) => ({ query: { [single.id.slice(6)]: ids[owner]?.[single.found] } })
      expect((await serve(id, caller, call('mine'), { [single.in]: row })).status).toBe(200)
      const refused = await serve(id, caller, call('theirs'), { [single.in]: row })
      if (caller === limitedToAgent) expect(refused.status).toBe(403)
      else expect(textAt(refused.given!, single.id)).toContain('\u001f')
    }
  })

  it.each(idsWith((subject) => subject === 'all'))('%s is not allowed', async (id) => {
    for (const caller of [limitedToAgent, limitedToUser])
      expect((await serve(id, caller, { params: {}, query: {}, body: {} })).status).toBe(403)
  })

  it('few operations are open, for they tell nothing of agents and users', () => {
    expect(idsWith((subject) => subject === 'none').toSorted()).toEqual([
      // its tools call the operations here, as the same caller
      'callAgentTools',
    ])
    expect(idsWith((subject) => subject === 'shared').toSorted()).toEqual([
      'createEmbedding',
      'getSettings',
      'getSkill',
      'getSkillSetup',
      'listModelProviders',
      'listModels',
      'listSkills',
      'previewSchedule',
    ])
    expect(idsWith((subject) => subject === 'rule').toSorted()).toEqual([
      'addDocuments',
      'appendMessage',
      'deleteDocument',
      'getCollection',
      'getDocument',
      'listCollections',
      'listDocuments',
      'rerun',
      'searchDocuments',
    ])
  })

  it('rerun and appendMessage have rules of their own, which refuse what belongs to others', async () => {
    const rerun = (caller: PlatformCaller, owner: Owner) =>
      serve('rerun', caller, { params: { id: ids[owner]?.run }, body: {} })
    const append = (caller: PlatformCaller, body: object) => serve('appendMessage', caller, { body })
    for (const caller of [limitedToAgent, limitedToUser]) {
      expect((await rerun(caller, 'mine')).status).toBe(200)
      expect((await append(caller, { conversation_id: 'c-mine' })).status).toBe(200)
    }
    expect((await rerun(limitedToAgent, 'theirs')).status).toBe(403)
    expect((await rerun(limitedToUser, 'theirs')).given).toMatchObject({ params: { id: '\u001f' } })
    const asOther = { conversation_id: 'c-theirs', agent_id: 'mine' }
    expect((await append(limitedToAgent, asOther)).status).toBe(403)
    // an own conversation that the caller calls so
    expect((await append(limitedToUser, asOther)).given).toMatchObject({
      body: { conversation_id: expect.stringContaining('c-theirs\u001f') as string },
    })
    expect((await append(limitedToAgent, { agent_id: 'theirs' })).status).toBe(403)
    expect((await append(limitedToUser, { agent_id: 'mine', user_id: 'theirs' })).status).toBe(403)
    expect((await append(limitedToUser, { agent_id: 'mine' })).given).toMatchObject({
      body: { user_id: 'mine' },
    })
  })
})
