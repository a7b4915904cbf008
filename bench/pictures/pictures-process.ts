import { createRuntime, type Model } from '@homeward/agent-runtime'
import { createScriptedModel } from '@homeward/agent-runtime/testing'
import { answerParent } from '../child.ts'

/** What the process that runs with pictures can be asked for. */
export type PicturesProcessCalls = typeof calls

const [home = '', turns = '', bytes = ''] = process.argv.slice(2)
let sentBytes = 0

/** Calls a tool in each turn, and counts the bytes of the pictures that it gets. */
const model: Model = {
  ...createScriptedModel([]),
  async doStream(call) {
    for (const { role, content } of call.prompt) {
      if (role !== 'user') continue
      for (const part of content)
        if (part.type === 'file' && part.data.type === 'data') sentBytes += part.data.data.length
    }
    const answers = call.prompt.filter(({ role }) => role === 'assistant').length
    const isLast = answers >= Number(turns) - 1
    const step = isLast ? { text: 'Done.' } : { toolCalls: [{ id: `call-${answers}`, name: 'look' }] }
    return createScriptedModel([step]).doStream(call)
  },
}

const runtime = createRuntime({
  home,
  environment: {},
  models: { bench: () => model },
  tools: [
    {
      id: 'look',
      description: 'Looks.',
      inputSchema: { type: 'object' },
      effects: 'read',
      idempotent: true,
      returnsUntrustedContent: false,
      execute: async () => ({ seen: true }),
    },
  ],
})

const calls = {
  async prepare(): Promise<void> {
    await runtime.agents.create({ id: 'viewer', model: 'bench/any', limits: { max_turns: 100 } })
  },

  /** Runs once. @returns milliseconds, the highest memory of the process so far, and the bytes that the model got */
  async run(hasPicture: boolean): Promise<{ tookMs: number; peakBytes: number; sentBytes: number }> {
    sentBytes = 0
    const data = hasPicture ? crypto.getRandomValues(new Uint8Array(65_536)) : new Uint8Array()
    const picture = new Uint8Array(Number(bytes))
    for (let at = 0; hasPicture && at < picture.length; at += data.length) picture.set(data, at)
    const files = [{ name: 'photo.png', media_type: 'image/png', data: picture }]
    const startedAt = performance.now()
    const { output } = await runtime.run({ agent_id: 'viewer', task: 'Look.', ...(hasPicture && { files }) })
    const tookMs = performance.now() - startedAt
    if (output !== 'Done.') throw new Error(`The run ended with ${JSON.stringify(output)}`)
    return { tookMs, peakBytes: process.resourceUsage().maxRSS * 1024, sentBytes }
  },
}
answerParent(calls, () => runtime.close())
