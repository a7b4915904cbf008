import type { CrashScenario } from './scenario.ts'

const request = {
  agent_id: 'worker',
  task: 'Work',
  user_id: 'ann',
  metadata: { tenant: 't1' },
  idempotency_key: 'the-same-request',
}

/**
 * A run whose tools read a context. It must be built again behind a crash, for the agent that another one runs too. The first
 * process chooses the models; what later ones would choose cannot be used.
 */
export const contextScenario: CrashScenario = {
  name: 'a run with a context and a chosen model',
  tools: [
    { id: 'look', repeat: 'safe', saysContext: true },
    { id: 'send', repeat: 'once', saysContext: true },
  ],
  models: {
    gold: [
      { toolCalls: [{ name: 'look', id: 'a', args: { at: 1 } }] },
      { toolCalls: [{ name: 'run_agent', id: 'b', args: { agent_id: 'below', task: 'Look' } }] },
      { toolCalls: [{ name: 'send', id: 'c', args: { to: 1 } }] },
      { text: 'Done.' },
    ],
    below: [{ toolCalls: [{ name: 'look', id: 'd', args: { at: 2 } }] }, { text: 'Seen.' }],
  },
  functions: () => {
    let runs = 0
    return {
      contextFor: ({ userId = '', metadata }) => ({ db: `${JSON.stringify(metadata)} of ${userId}` }),
      // each run is asked about once, also when it is resumed
      modelFor: ({ agentId }) => {
        runs += 1
        return runs > 2 ? 'crash/none' : agentId === 'worker' ? 'crash/gold' : undefined
      },
    }
  },
  async prepare(runtime) {
    await runtime.agents.create({ id: 'worker', model: 'crash/none', limits: { max_runtime: 60 } })
    await runtime.agents.create({ id: 'below', model: 'crash/below', limits: { max_runtime: 60 } })
  },
  begin: () => ({
    async work(runtime) {
      await runtime.run(request)
    },
    async problems(runtime) {
      const { runs } = await runtime.runs.list()
      const results = JSON.stringify(runs.map(({ result }) => result))
      const isUncertain = results.includes('effect_uncertain')
      const built = results.split('} of ann').length - 1
      return isUncertain || built >= 3 ? [] : [`the context was built for ${built} calls of three`]
    },
  }),
}
