import type { CrashScenario } from './scenario.ts'

const windowTokens = 12_000
const turns = 6

/** A run whose results take far more than the context window: what the model reads must be cut alike after a crash. */
export const windowScenario: CrashScenario = {
  name: 'window fitting',
  tools: [{ id: 'look', repeat: 'safe', resultChars: 12_000 }],
  models: {
    reader: [
      ...Array.from({ length: turns }, (_, place) => ({
        toolCalls: [{ name: 'look', id: `look-${place}`, args: { place } }],
      })),
      { text: 'All read.' },
    ],
  },
  windowTokens,
  async prepare(runtime) {
    await runtime.agents.create({
      id: 'reader',
      model: 'crash/reader',
      context: { window_tokens: windowTokens },
    })
  },
  begin() {
    let runId = ''
    return {
      async work(runtime) {
        const request = { agent_id: 'reader', task: 'Read', idempotency_key: 'the-same-request' }
        const result = await runtime.run(request)
        runId = result.run_id
      },
      async problems(runtime) {
        const events = await Array.fromAsync(runtime.runs.events(runId, 0))
        const rejections = events.filter(({ event }) => event.event === 'retry').length
        return rejections === 0 ? [] : [`the model rejected ${rejections} prompts as too long`]
      },
    }
  },
}
