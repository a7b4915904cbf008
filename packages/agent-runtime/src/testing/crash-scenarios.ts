import { RuntimeError } from '../ports/runtime-error.ts'
import type { AgentRuntime } from '../runtime/runtime.ts'
import type { NumberedRunEvent } from '../runs/runs.ts'
import { channelCrashScenarios } from './channels/channel-crash-scenarios.ts'
import { contextScenario } from './crashes/context-scenario.ts'
import { fileScenario } from './crashes/file-scenario.ts'
import { graphScenarios } from './crashes/graph-scenarios.ts'
import { guardScenario } from './crashes/guard-scenario.ts'
import type { CrashScenario } from './crashes/scenario.ts'
import { backgroundScenario } from './crashes/background-scenario.ts'
import { inputScenario } from './crashes/input-scenario.ts'
import { orderScenario } from './crashes/order-scenario.ts'
import { triggerScenario } from './crashes/trigger-scenario.ts'
import { windowScenario } from './crashes/window-scenario.ts'
import type { ScriptedStep } from './scripted-model.ts'

const call = (name: string, id: string, args: object) => ({ name, id, args })
const key = 'the-same-request'
const limits = { max_runtime: 60 }

/** Tools that do something. `slow` is still at work when `look` has ended. */
const tools = [
  { id: 'look', repeat: 'safe' },
  { id: 'slow', repeat: 'safe', waitsFor: 'look' },
  { id: 'send', repeat: 'once' },
] as const

/** A turn with several calls, one with a single call, and an answer. */
const worker: readonly ScriptedStep[] = [
  {
    text: ['I look', ' around.'],
    toolCalls: [
      call('look', 'a', { place: 'door' }),
      call('slow', 'b', { place: 'room' }),
      call('send', 'c', { to: 1 }),
    ],
  },
  { toolCalls: [call('look', 'd', { place: 'window' })] },
  { toolCalls: [call('send', 'e', { to: 2 })] },
  { text: ['All', ' done.'] },
]

async function createAgents(runtime: AgentRuntime, agents: readonly object[]): Promise<void> {
  for (const agent of agents) {
    await runtime.agents.create({ id: 'worker', model: 'crash/worker', limits, ...agent })
  }
}

const plain: CrashScenario = {
  name: 'a run with tools side by side',
  tools,
  models: { worker },
  prepare: (runtime) => createAgents(runtime, [{}]),
  begin: () => ({
    async work(runtime) {
      await runtime.run({ agent_id: 'worker', task: 'Work', idempotency_key: key })
    },
  }),
}

const structured: CrashScenario = {
  name: 'a run whose output is corrected twice',
  tools,
  models: {
    worker: [
      { toolCalls: [call('look', 'a', { place: 'door' }), call('send', 'b', { to: 1 })] },
      { text: ['The door', ' is open.'] },
      { toolCalls: [call('send', 'c', { to: 2 })] },
      { text: '{"open":"yes"}' },
      { text: ['{"open":', 'true}'] },
    ],
  },
  prepare: (runtime) => createAgents(runtime, [{ output_schema: openDoor }]),
  begin: () => ({
    async work(runtime) {
      await runtime.run({
        agent_id: 'worker',
        task: 'Is it open?',
        conversation_id: 'c',
        idempotency_key: key,
      })
    },
    async problems(runtime) {
      const { runs } = await runtime.runs.list()
      const completed = runs.flatMap(({ status, result }) => (status === 'completed' ? [result] : []))
      const isWrong = completed.some((result) => !JSON.stringify(result).includes('"data":{"open":true}'))
      return isWrong ? ['a run completed without its data'] : []
    },
  }),
}

const verified: CrashScenario = {
  name: 'a run whose effects settle themselves',
  tools: [
    { id: 'look', repeat: 'safe' },
    { id: 'send', repeat: 'once', verifies: true },
  ],
  models: {
    worker: [
      { toolCalls: [call('send', 'a', { to: 1 }), call('look', 'b', {}), call('send', 'c', { to: 2 })] },
      { toolCalls: [call('send', 'd', { to: 3 })] },
      { text: 'Sent.' },
    ],
  },
  prepare: (runtime) => createAgents(runtime, [{}]),
  begin: () => ({
    async work(runtime) {
      await runtime.run({ agent_id: 'worker', task: 'Work', idempotency_key: key })
    },
  }),
}

const undone: CrashScenario = {
  name: 'a run that is undone',
  tools: [
    { id: 'send', repeat: 'safe', undoes: true },
    { id: 'note', repeat: 'safe' },
  ],
  models: {
    worker: [
      { toolCalls: [call('send', 'a', { to: 1 }), call('note', 'b', {}), call('send', 'c', { to: 2 })] },
      { text: 'Sent.' },
    ],
  },
  prepare: (runtime) => createAgents(runtime, [{}]),
  begin() {
    let seen: readonly string[] = []
    return {
      async work(runtime) {
        const { run_id: id } = await runtime.run({ agent_id: 'worker', task: 'Work', idempotency_key: key })
        const undo = await runtime.runs.undo(id)
        await (
          await runtime.runs.attach(undo.id)
        ).result
        seen = (await runtime.runs.findUndo(id)).steps.map(({ status }) => status)
      },
      async problems() {
        const isWhole = seen.join() === 'undone,cannot_undo,undone'
        return isWhole ? [] : [`the steps of the undo were ${seen.join()}`]
      },
    }
  },
}

/** Each run is played by whatever process has the what-if. What was played when it was killed is not played again. */
const whatIf: CrashScenario = {
  name: 'runs that are played with a changed agent',
  tools,
  models: {
    worker: [{ toolCalls: [call('look', 'a', { place: 'door' })] }, { text: 'It is open.' }],
    before: [{ text: 'Which door?' }],
    other: [
      { toolCalls: [call('look', 'a', { place: 'door' })] },
      { toolCalls: [call('send', 'b', { to: 1 })] },
      { text: 'Never.' },
    ],
  },
  async prepare(runtime) {
    await createAgents(runtime, [{ model: 'crash/before' }])
    await runtime.run({ agent_id: 'worker', task: 'One' })
    await runtime.agents.update('worker', { model: 'crash/worker' })
    await runtime.run({ agent_id: 'worker', task: 'Two' })
  },
  begin() {
    const asked = { changes: { model: 'crash/other' } }
    let id: string | undefined
    return {
      async work(runtime) {
        await runtime.start()
        id ??= (await runtime.whatIfs.start('worker', asked)).id
        await runtime.whatIfs.finished(id)
      },
      async problems(runtime) {
        const { runs, totals } = await runtime.whatIfs.get(id ?? '')
        const listed = (await runtime.runs.list()).runs.map((run) => run.id)
        const isWhole = totals.diverged === 2 && runs.map((run) => run.run_id).join() === listed.join()
        return isWhole ? [] : [`the what-if has the runs ${JSON.stringify(runs)}`]
      },
    }
  },
}

const openDoor = { type: 'object', properties: { open: { type: 'boolean' } }, required: ['open'] }

const subAgent: CrashScenario = {
  name: 'an agent that runs another one',
  tools,
  models: {
    boss: [
      {
        toolCalls: [
          call('run_agent', 'f', { agent_id: 'worker', task: 'Work' }),
          call('look', 'g', { place: 'worker' }),
        ],
      },
      { toolCalls: [call('look', 'h', { place: 'work' })] },
      { text: 'It is done.' },
    ],
    worker,
  },
  prepare: (runtime) => createAgents(runtime, [{}, { id: 'boss', model: 'crash/boss' }]),
  begin: () => ({
    async work(runtime) {
      await runtime.run({ agent_id: 'boss', task: 'Have it done', idempotency_key: key })
    },
  }),
}

const approval: CrashScenario = {
  name: 'a run that waits for a person',
  tools,
  models: { worker },
  prepare: (runtime) => createAgents(runtime, [{ approval_tools: ['send'] }]),
  begin: () => ({
    async work(runtime) {
      for (;;) {
        const handle = await runtime.runs.start({ agent_id: 'worker', task: 'Work', idempotency_key: key })
        const { stop_reason: reason } = await handle.result
        if (reason !== 'approval') return
        const run = await runtime.runs.find(handle.runId)
        const open = run?.approvals.filter(({ status }) => status === 'pending') ?? []
        for (const { id } of open)
          await unlessDecided(runtime.runs.decideApproval(handle.runId, id, { decision: 'approve' }))
        if (open.length === 0) await nextMoment()
      }
    },
  }),
}

const asking: CrashScenario = {
  name: 'a run that asks a person',
  tools,
  models: {
    worker: [
      {
        toolCalls: [
          call('ask_user', 'q', { message: 'Whom?', options: ['Ann', 'Bob'] }),
          call('look', 'a', {}),
        ],
      },
      { toolCalls: [call('send', 'b', { to: 1 })] },
      { text: 'Sent.' },
    ],
  },
  prepare: (runtime) => createAgents(runtime, [{ ask_user: true }]),
  begin: () => ({
    async work(runtime) {
      for (;;) {
        const handle = await runtime.runs.start({ agent_id: 'worker', task: 'Work', idempotency_key: key })
        const { stop_reason: reason } = await handle.result
        if (reason !== 'waiting') return
        const { waits } = await runtime.runs.waits({ runId: handle.runId })
        // the same answer again causes no conflict
        for (const { id } of waits) await runtime.runs.answerWait(handle.runId, id, { data: 'Ann' })
        if (waits.length === 0) await nextMoment()
      }
    },
  }),
}

const task: CrashScenario = {
  name: 'a task in the background',
  tools,
  models: { worker },
  prepare: (runtime) => createAgents(runtime, [{}]),
  begin: () => ({
    async work(runtime) {
      await runtime.start()
      const { task: made } = await runtime.tasks.create({
        agent_id: 'worker',
        task: 'Work',
        idempotency_key: key,
      })
      while (isOpen((await runtime.tasks.get(made.id)).status)) await nextMoment()
    },
  }),
}

const graph: CrashScenario = {
  name: 'a graph of agents',
  tools: [...tools, { id: 'note', repeat: 'once' }],
  models: {
    worker,
    left: [{ toolCalls: [call('look', 'i', { place: 'left' })] }, { text: 'Left.' }],
    right: [{ toolCalls: [call('note', 'j', { place: 'right' })] }, { text: 'Right.' }],
  },
  async prepare(runtime) {
    const sides = ['left', 'right'].map((id) => ({ id, model: `crash/${id}` }))
    await createAgents(runtime, [{}, ...sides])
    await runtime.graphs.create({
      id: 'both',
      nodes: [
        { id: 'a', agent: 'left' },
        { id: 'b', agent: 'right' },
        { id: 'c', agent: 'worker', input: '{{a}} {{b}}' },
      ],
      edges: [
        { from: 'a', to: 'c' },
        { from: 'b', to: 'c' },
      ],
    })
  },
  begin: () => ({
    async work(runtime) {
      await runtime.graphs.run({ graph_id: 'both', input: 'Work', idempotency_key: key })
    },
  }),
}

const stream: CrashScenario = {
  name: 'a reader of a stream who comes back',
  tools,
  models: { worker },
  prepare: (runtime) => createAgents(runtime, [{}]),
  begin() {
    const seen: NumberedRunEvent[] = []
    let runId = ''
    return {
      async work(runtime) {
        runId = (await runtime.runs.start({ agent_id: 'worker', task: 'Work', idempotency_key: key })).runId
        for await (const event of runtime.runs.events(runId, seen.at(-1)?.seq ?? 0)) seen.push(event)
      },
      async problems(runtime) {
        const kept = await Array.fromAsync(runtime.runs.events(runId, 0))
        return [...outOfOrder(seen), ...unlike(kept, seen)]
      },
    }
  },
}

/** Scenarios of all kinds of work, for `crashConformance`. */
export const crashScenarios: readonly CrashScenario[] = [
  plain,
  structured,
  verified,
  undone,
  whatIf,
  subAgent,
  approval,
  asking,
  task,
  graph,
  stream,
  windowScenario,
  fileScenario,
  contextScenario,
  guardScenario,
  triggerScenario,
  orderScenario,
  inputScenario,
  backgroundScenario,
  ...graphScenarios,
  ...channelCrashScenarios,
]

const isOpen = (status: string) => status === 'queued' || status === 'running'

const nextMoment = () => new Promise((resolve) => setTimeout(resolve, 1))

async function unlessDecided(decision: Promise<unknown>): Promise<void> {
  try {
    await decision
  } catch (error) {
    if (!RuntimeError.is(error) || error.code !== 'conflict') throw error
  }
}

function outOfOrder(seen: readonly NumberedRunEvent[]): string[] {
  const isWrong = seen.some(({ seq }, index) => index > 0 && seq <= (seen[index - 1]?.seq ?? 0))
  const ends = seen.filter(({ event }) => event.event === 'done' || event.event === 'error')
  return [
    ...(isWrong ? ['the reader saw an event twice, or out of order'] : []),
    ...(ends.length === 1 && seen.at(-1) === ends[0] ? [] : [`the reader saw ${ends.length} ends`]),
  ]
}

/** Stored events that the reader did not see, or saw otherwise. */
function unlike(kept: readonly NumberedRunEvent[], seen: readonly NumberedRunEvent[]): string[] {
  const bySeq = new Map(seen.map(({ seq, event }) => [seq, JSON.stringify(event)]))
  return kept
    .filter(({ seq, event }) => bySeq.get(seq) !== JSON.stringify(event))
    .map(({ seq, event }) => `the reader did not see event ${seq} (${event.event}) as it is kept`)
}
