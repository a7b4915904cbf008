import { RuntimeError } from '../../ports/runtime-error.ts'
import type { CrashClient, CrashScenario } from '../crashes/scenario.ts'
import { arrivalProblems, createCrashPlatform, isUnderWay, nextLook, openChat } from './crash-platform.ts'

const refusal = 'Calling the model crash/failing failed: the key is wrong.'
const agents = ['working', 'failing'] as const
const expected = ['All done.', `The task of agent failing failed: ${refusal}`]

/** Somebody who creates tasks until they have ended and are reported. */
function createPlanner(isIdempotent: boolean): CrashClient {
  const { sent, channels } = createCrashPlatform({ isIdempotent, maxText: 1000 })

  return {
    channels,
    async work(runtime) {
      await runtime.start()
      const ids: string[] = []
      for (const agent of agents) {
        const request = { agent_id: agent, task: 'Work', idempotency_key: agent }
        ids.push((await runtime.tasks.create(request)).task.id)
      }
      const isOpen = async () => {
        const tasks = await Promise.all(ids.map((id) => runtime.tasks.get(id)))
        return tasks.some(({ status }) => status === 'queued' || status === 'running')
      }
      while (await isOpen()) await nextLook()
      while (await isUnderWay(runtime)) await nextLook()
    },
    async problems(runtime) {
      const { messages } = await runtime.channels.messages('crash')
      const reports = messages.filter(({ task_id: taskId }) => taskId !== undefined)
      const isWhole = reports.every(({ status }) => status === 'delivered')
      const isHonest = reports.every(({ status }) => status === 'delivered' || status === 'uncertain')
      const texts = sent.map(({ text }) => text)
      return [
        ...arrivalProblems(texts, expected, isWhole),
        ...(reports.length === agents.length ? [] : [`there are ${reports.length} reports`]),
        ...(isWhole || (isHonest && !isIdempotent) ? [] : ['a report is not delivered']),
      ]
    },
  }
}

const toScenario = (isIdempotent: boolean): CrashScenario => ({
  name: isIdempotent
    ? 'reports of tasks to a platform that knows what it has got'
    : 'reports of tasks to a platform that takes everything twice',
  tools: [{ id: 'look', repeat: 'safe' }],
  models: {
    working: [{ toolCalls: [{ name: 'look', id: 'a', args: { at: 'door' } }] }, { text: 'All done.' }],
    failing: [{ error: new RuntimeError('model_error', refusal) }],
  },
  async prepare(runtime) {
    await runtime.agents.create({ id: 'worker', model: 'test/echo' })
    await openChat(runtime, 'ann')
    for (const id of agents) {
      const reportTo = [{ channel: 'crash', conversation_id: 'ann' }]
      await runtime.agents.create({
        id,
        model: `crash/${id}`,
        limits: { max_runtime: 60 },
        report_to: reportTo,
      })
    }
  },
  begin: () => createPlanner(isIdempotent),
})

/** Tasks of agents with `report_to`: one that completes, and one that fails. */
export const reportCrashScenarios: readonly CrashScenario[] = [toScenario(true), toScenario(false)]
