import type { CrashScenario } from './scenario.ts'
import { nextLook } from '../channels/crash-platform.ts'

const call = {
  name: 'run_agent',
  id: 'a',
  args: { agent_id: 'helper', task: 'Dig', background: true },
}

/** An agent in the background, whose output becomes the next run of the agent that started it. */
export const backgroundScenario: CrashScenario = {
  name: 'an agent in the background',
  tools: [],
  models: {
    worker: [{ toolCalls: [call] }, { text: 'It digs.' }, { text: 'It found gold.' }],
    helper: [{ toolCalls: [{ name: 'ask_user', id: 'q', args: { message: 'Deeper?' } }] }, { text: 'Gold.' }],
  },
  async prepare(runtime) {
    for (const id of ['worker', 'helper'])
      await runtime.agents.create({
        id,
        model: `crash/${id}`,
        limits: { max_runtime: 60 },
        ask_user: id === 'helper',
      })
  },
  begin: () => ({
    async work(runtime) {
      await runtime.start()
      const idempotency_key = 'the-same-request'
      const request = { agent_id: 'worker', task: 'Find gold', conversation_id: 'c', idempotency_key }
      await (
        await runtime.runs.start(request)
      ).result
      for (;;) {
        // the agent in the background ends once the run that started it has ended
        for (const { id, run_id } of (await runtime.runs.waits()).waits)
          await runtime.runs.answerWait(run_id, id, { data: 'yes' })
        const { runs } = await runtime.runs.list()
        const helper = runs.find(({ agent_id }) => agent_id === 'helper')
        const { tasks } = await runtime.tasks.list()
        const isOver = tasks.every(({ status }) => status === 'completed' || status === 'failed')
        if (helper?.finished_at !== undefined && runs.every((run) => run.finished_at !== undefined) && isOver)
          return
        await nextLook(25)
      }
    },
    async problems(runtime) {
      const { messages } = await runtime.conversations.get('c')
      const told = messages.filter(({ role, content }) => role === 'user' && content.includes('Gold.')).length
      return told === 1 ? [] : [`the output arrived ${told} times`]
    },
  }),
}
