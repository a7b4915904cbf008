import { expect } from 'vitest'
import { textOf, type JsonObject } from '../wire/raw-client.ts'
import type { DrawnRequest } from './draw-request.ts'
import type { KnownValues } from './known-names.ts'

/** Sends a request and gives its status and its JSON. */
type Ask = (method: string, path: string) => Promise<{ readonly status: number; readonly json: JsonObject }>

/** What a platform said that it took, and what therefore must be there. */
interface AgentPlatformLedger {
  /** Fields and parameters that name what is in the ledger. */
  readonly names: readonly string[]
  readonly known: KnownValues
  /** Notes a request that was answered with 2xx. */
  note(request: DrawnRequest, answer: JsonObject): void
  /** How much of each kind was created. */
  readonly counts: Readonly<Record<Kind, number>>
  /** Reads everything back. */
  expectKept(ask: Ask): Promise<void>
}

type Kind = 'agents' | 'graphs' | 'conversations' | 'messages' | 'memories' | 'tasks' | 'runs'
type Rows = Map<string, JsonObject>

const kinds = ['agents', 'graphs', 'conversations', 'messages', 'memories', 'tasks', 'runs'] as const
const ofKind = <Value>(value: () => Value) =>
  Object.fromEntries(kinds.map((kind) => [kind, value()])) as Record<Kind, Value>
const kindByField: Readonly<Record<string, Kind>> = {
  agent_id: 'agents',
  agent: 'agents',
  graph_id: 'graphs',
  conversation_id: 'conversations',
}

/** What a drawn agent needs besides ids. */
const settings: Readonly<Record<string, readonly string[]>> = {
  model: ['test/echo'],
  provider: ['test'],
  fallback_models: ['test/echo'],
  schedule: ['0 9 * * *'],
  timezone: ['Europe/Vienna'],
  // a program that is drawn would be started
  command: ['no-such-program'],
}

/** Begins empty. */
export function createAgentPlatformLedger(): AgentPlatformLedger {
  const kept = ofKind<Rows>(() => new Map())
  const counts = ofKind(() => 0)
  const keepAs = (kind: Kind, id: string, row: JsonObject) => {
    if (!kept[kind].has(id)) counts[kind] += 1
    kept[kind].set(id, row)
  }
  /** What an answer shows under a name of its own. */
  const keepShown = (kind: Kind, row: JsonObject[string] | undefined) =>
    keepAs(kind, textOf(row as JsonObject, 'id'), row as JsonObject)

  type Effect = (answer: JsonObject, sent: JsonObject, id: string) => unknown
  const effects: Readonly<Record<string, Effect>> = {
    'POST /api/agents': ({ agent }) => keepShown('agents', agent),
    'PUT /api/agents/{id}': ({ agent }) => keepShown('agents', agent),
    'DELETE /api/agents/{id}': (_, __, id) => kept.agents.delete(id),
    'POST /api/graphs': ({ graph }) => keepShown('graphs', graph),
    'PUT /api/graphs/{id}': ({ graph }) => keepShown('graphs', graph),
    'DELETE /api/graphs/{id}': (_, __, id) => kept.graphs.delete(id),
    'POST /api/conversations'(answer, { content }) {
      const conversationId = textOf(answer, 'conversation_id')
      keepAs('conversations', conversationId, {})
      keepAs('messages', textOf(answer, 'message_id'), { conversationId, content: content ?? null })
    },
    'DELETE /api/conversations/{id}'(_, __, id) {
      kept.conversations.delete(id)
      for (const [key, { conversationId }] of kept.messages)
        if (conversationId === id) kept.messages.delete(key)
    },
    'POST /api/memory/write'(answer, { expires_at: until }) {
      // One that is over is forgotten at once.
      if (typeof until !== 'string' || Date.parse(until) > Date.now() + 3_600_000)
        keepAs('memories', textOf(answer, 'id'), {})
    },
    'DELETE /api/memory/{id}': (_, __, id) => kept.memories.delete(id),
    'POST /api/tasks': ({ task }) => keepShown('tasks', task),
    'POST /api/agents/run': (answer) => keepAs('runs', textOf(answer, 'run_id'), {}),
  }

  return {
    names: ['id', ...Object.keys(settings), ...Object.keys(kindByField)],
    known(name, template) {
      if (settings[name]) return settings[name]
      // New ids are drawn, not known.
      const isNew = name === 'id' && !template.includes('{id}')
      const family = template.split('/')[2] === 'memory' ? 'memories' : template.split('/')[2]
      const kind = name === 'id' ? kinds.find((each) => each === family) : kindByField[name]
      return kind === undefined || isNew ? [] : [...kept[kind].keys()]
    },
    note({ method, template, path, body }, answer) {
      const effect = effects[`${method} ${template}`]
      if (!effect) return // whose body may be empty
      const id = decodeURIComponent(path.split('?', 1)[0]?.split('/').at(-1) ?? '')
      const sent = typeof body === 'string' ? (JSON.parse(body.replace(/^\uFEFF/, '')) as JsonObject) : {}
      effect(answer, sent, id)
    },
    counts,
    expectKept: (ask) => expectRows(kept, ask),
  }
}

async function expectRows(kept: Readonly<Record<Kind, Rows>>, ask: Ask): Promise<void> {
  const read = async (kind: string, id: string) => {
    const { status, json } = await ask('GET', `/api/${kind}/${encodeURIComponent(id)}`)
    expect(status, `${kind} ${id}`).toBe(200)
    return json
  }
  for (const [id, agent] of kept.agents) expect(await read('agents', id)).toEqual({ agent })
  for (const [id, graph] of kept.graphs) expect(await read('graphs', id)).toEqual({ graph })
  for (const id of kept.tasks.keys()) expect(await read('tasks', id)).toMatchObject({ task: { id } })
  for (const id of kept.runs.keys()) expect(await read('runs', id)).toMatchObject({ run: { id } })
  for (const id of kept.conversations.keys()) {
    const { messages } = (await ask('GET', `/api/conversations/${encodeURIComponent(id)}?limit=500`)).json
    const found = messages as JsonObject[]
    const written = [...kept.messages].filter(([, { conversationId }]) => conversationId === id)
    for (const [messageId, { content }] of written) {
      expect(found).toContainEqual(expect.objectContaining({ id: messageId, content }))
    }
  }
  const memories = (await ask('GET', '/api/memory?limit=500')).json['memories'] as JsonObject[]
  if (memories.length < 500)
    for (const id of kept.memories.keys()) expect(memories).toContainEqual(expect.objectContaining({ id }))
  for (const id of kept.memories.keys())
    expect((await ask('DELETE', `/api/memory/${encodeURIComponent(id)}`)).status).toBe(200)
}
