import { createHmac } from 'node:crypto'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import type { CrashScenario } from './scenario.ts'

const secret = 'a secret of a trigger'

/** Calls the only trigger as GitHub does: with the same id, until the call is accepted. @returns id of its task */
async function callTrigger(runtime: AgentRuntime, payload: object): Promise<string> {
  const [trigger] = await runtime.triggers.list()
  const body = Buffer.from(JSON.stringify(payload))
  const headers: Readonly<Record<string, string>> = {
    'content-type': 'application/json',
    'x-github-delivery': 'the same delivery',
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
  const call = { header: (name: string) => headers[name], body: async () => body }
  const reply = await runtime.triggers.receive(trigger?.id ?? '', call)
  if (reply.kind === 'accepted' && reply.taskId !== undefined) return reply.taskId
  throw new Error(`Calling the trigger failed: ${JSON.stringify(reply)}`)
}

/** Creates the trigger that {@link callTrigger} calls. */
const createTrigger = (runtime: AgentRuntime, target: { agent_id: string } | { graph_id: string }) =>
  runtime.triggers.create({ name: 'Hook', verify: 'github', secret, ...target })

/** What is wrong with the calls of the only trigger: one of them makes the task, however often it was sent. */
async function triggerProblems(runtime: AgentRuntime): Promise<string[]> {
  const [trigger] = await runtime.triggers.list()
  const outcomes = (await runtime.triggers.deliveries(trigger?.id ?? '')).map(({ outcome }) => outcome)
  const { tasks } = await runtime.tasks.list()
  const isWrong = outcomes.at(-1) !== 'started' || outcomes.filter((one) => one === 'started').length !== 1
  return isWrong || tasks.length !== 1 ? [`${tasks.length} tasks of the calls ${outcomes.join()}`] : []
}

/** Waits for the end of a task. */
export async function untilEnded(runtime: AgentRuntime, taskId: string): Promise<void> {
  for (let status = 'queued'; status === 'queued' || status === 'running';) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    status = (await runtime.tasks.get(taskId)).status
  }
}

/** A task that another program starts. */
export const triggerScenario: CrashScenario = {
  name: 'a call of a trigger',
  tools: [{ id: 'send', repeat: 'once' }],
  models: {
    worker: [{ toolCalls: [{ name: 'send', id: 'a', args: { to: 1 } }] }, { text: 'Sent.' }],
  },
  async prepare(runtime) {
    await runtime.agents.create({ id: 'worker', model: 'crash/worker', limits: { max_runtime: 60 } })
    await createTrigger(runtime, { agent_id: 'worker' })
  },
  begin: () => ({
    async work(runtime) {
      await runtime.start()
      await untilEnded(runtime, await callTrigger(runtime, { number: 7 }))
    },
    problems: triggerProblems,
  }),
}
