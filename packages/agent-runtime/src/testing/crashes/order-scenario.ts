import type { WaitKind } from '@homeward/contract/agent-platform'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import type { CrashScenario } from './scenario.ts'
import { callTrigger, createTrigger, triggerProblems, untilEnded } from './trigger-scenario.ts'

const agents = ['collect', 'check', 'send']
const call = (name: string, id: string) => ({ toolCalls: [{ name, id, args: { by: id } }] })

/** A graph that another program starts, and that waits for an event of another one, for a person, and for a signal. */
export const orderScenario: CrashScenario = {
  name: 'a graph that waits for an event, a person and a signal',
  tools: [
    { id: 'look', repeat: 'safe' },
    { id: 'send', repeat: 'once' },
  ],
  models: {
    collect: [call('look', 'a'), { text: 'Order 7' }],
    check: [{ text: 'It is paid.' }],
    send: [call('send', 'b'), { text: 'Sent.' }],
  },
  async prepare(runtime) {
    for (const id of agents)
      await runtime.agents.create({ id, model: `crash/${id}`, limits: { max_runtime: 60 } })
    const match = { required: ['amount'] }
    const ids = ['collect', 'paid', 'check', 'may', 'send', 'arrived', 'seen']
    await runtime.graphs.create({
      id: 'order',
      nodes: [
        { id: 'collect', agent: 'collect' },
        { id: 'paid', wait: { event: 'paid', match, timeout: 604_800 } },
        { id: 'check', agent: 'check', input: '{{paid}}' },
        { id: 'may', ask: { message: 'Send {{collect}}?', schema: { type: 'boolean' } } },
        { id: 'send', agent: 'send', input: '{{collect}}' },
        { id: 'arrived', wait: { event: 'arrived' } },
        { id: 'seen', wait: { event: 'arrived' } },
      ],
      edges: ids.slice(1).flatMap((to, index) => {
        const from = to === 'seen' ? 'send' : (ids[index] ?? '')
        return to === 'send' ? { from, to, when: { data: { const: true } } } : { from, to }
      }),
    })
    await createTrigger(runtime, 'Orders', { graph_id: 'order' })
    await createTrigger(runtime, 'Payments', { event: 'paid' })
  },
  begin() {
    const numbers: number[] = []
    return {
      async work(runtime) {
        await runtime.start()
        const taskId = await callTrigger(runtime, 'Orders', { number: 7 })
        await untilAsked(runtime, 'event')
        await callTrigger(runtime, 'Payments', { amount: 30 })
        const [question] = await untilAsked(runtime, 'question')
        // the same answer again causes no conflict
        if (question) await runtime.runs.answerWait(question.run_id, question.id, { data: true })
        await untilAsked(runtime, 'event', 3)
        const signal = { event: 'arrived', data: { at: 'the door' }, id: 'the-same-signal' }
        numbers.push((await runtime.runs.signal(signal)).delivered)
        await untilEnded(runtime, taskId)
      },
      async problems(runtime) {
        const found = await triggerProblems(runtime)
        const [task] = (await runtime.tasks.list()).tasks
        // a person decides how it goes on
        if (task?.failure?.code === 'effect_uncertain') return found
        if (task?.status !== 'completed') found.push(`the task is ${task?.status}`)
        return numbers.at(-1) === 2 ? found : [...found, `the signal got to ${numbers.join()} waits`]
      },
    }
  },
}

/** Waits until so many waits of a kind were opened, or the run has ended. */
async function untilAsked(runtime: AgentRuntime, kind: WaitKind, count = 1) {
  for (;;) {
    const { runs } = await runtime.runs.list({ graphId: 'order' })
    const [run] = runs
    const { waits, finished_at: end } = run ? await runtime.runs.get(run.id) : { waits: [] }
    const found = waits.filter((wait) => wait.kind === kind)
    if (found.length >= count || end !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
