import { createHmac } from 'node:crypto'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import type { CrashScenario } from './scenario.ts'

const secret = 'a secret of a trigger'

/** Calls a trigger as GitHub does: with the same id, until the call is accepted. @returns id of its task, if it has one */
export async function callTrigger(runtime: AgentRuntime, name: string, payload: object): Promise<string> {
  const trigger = (await runtime.triggers.list()).find((one) => one.name === name)
  const body = Buffer.from(JSON.stringify(payload))
  const headers: Readonly<Record<string, string>> = {
    'content-type': 'application/json',
    'x-github-delivery': 'the same delivery',
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
  const call = { header: (name: string) => headers[name], body: async () => body }
  const reply = await runtime.triggers.receive(trigger?.id ?? '', call)
  if (reply.kind === 'accepted') return reply.taskId ?? ''
  throw new Error(`Calling the trigger failed: ${JSON.stringify(reply)}`)
}

type Target = { agent_id: string } | { graph_id: string } | { event: string }

/** Creates a trigger that {@link callTrigger} calls. */
export const createTrigger = (runtime: AgentRuntime, name: string, target: Target) =>
  runtime.triggers.create({ name, verify: 'github', secret, ...target })

/** What is wrong with the calls of triggers: one of each does something, however often it was sent. */
export async function triggerProblems(runtime: AgentRuntime): Promise<string[]> {
  const problems: string[] = []
  for (const { id, name } of await runtime.triggers.list()) {
    const outcomes = (await runtime.triggers.deliveries(id)).map(({ outcome }) => outcome)
    const did = outcomes.filter((one) => one === 'started' || one === 'signalled')
    if (did.length !== 1 || outcomes.at(-1) !== did[0]) problems.push(`${name}: ${outcomes.join()}`)
  }
  const { tasks } = await runtime.tasks.list()
  return tasks.length === 1 ? problems : [...problems, `${tasks.length} tasks`]
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
    await createTrigger(runtime, 'Hook', { agent_id: 'worker' })
  },
  begin: () => ({
    async work(runtime) {
      await runtime.start()
      await untilEnded(runtime, await callTrigger(runtime, 'Hook', { number: 7 }))
    },
    problems: triggerProblems,
  }),
}
