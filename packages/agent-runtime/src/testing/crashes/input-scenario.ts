import { RuntimeError } from '../../ports/runtime-error.ts'
import type { CrashScenario } from './scenario.ts'
import { untilEnded } from './trigger-scenario.ts'

/** Messages to a run that waits for a person: one is read by its next model call, two become the next runs. */
export const inputScenario: CrashScenario = {
  name: 'messages to a run that waits',
  tools: [{ id: 'send', repeat: 'safe' }],
  models: {
    worker: [
      { toolCalls: [{ name: 'send', id: 'a', args: { to: 1 } }] },
      { text: 'Sent, as you said.' },
      { text: 'The first of what was queued.' },
      { text: 'The second.' },
    ],
  },
  async prepare(runtime) {
    const approval_tools = ['send']
    await runtime.agents.create({
      id: 'worker',
      model: 'crash/worker',
      limits: { max_runtime: 60 },
      approval_tools,
    })
  },
  begin: () => ({
    async work(runtime) {
      await runtime.start()
      const idempotency_key = 'the-same-request'
      const request = { agent_id: 'worker', task: 'Send it', conversation_id: 'c', idempotency_key }
      const { runId, result } = await runtime.runs.start(request)
      if ((await result).stop_reason === 'approval') {
        for (const [key, mode] of [
          ['one', 'steer'],
          ['two', 'queue'],
          ['three', 'queue'],
        ] as const)
          await runtime.runs.message(runId, { text: `Say ${key}`, mode, idempotency_key: key })
        const { approvals } = await runtime.runs.get(runId)
        for (const { id, status } of approvals)
          if (status === 'pending')
            await unlessDecided(runtime.runs.decideApproval(runId, id, { decision: 'approve' }))
      }
      await (
        await runtime.runs.attach(runId)
      ).result
      const { tasks } = await runtime.tasks.list()
      for (const { id } of tasks) await untilEnded(runtime, id)
    },
    async problems(runtime) {
      const { messages } = await runtime.conversations.get('c')
      const said = messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []))
      const isWhole = said.join() === 'Send it,Say one,Say two,Say three'
      return isWhole ? [] : [`the conversation has the messages ${said.join()}`]
    },
  }),
}

async function unlessDecided(decision: Promise<unknown>): Promise<void> {
  try {
    await decision
  } catch (error) {
    if (!RuntimeError.is(error) || error.code !== 'conflict') throw error
  }
}
