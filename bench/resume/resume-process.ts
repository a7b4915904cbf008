import { createRuntime, type Model } from '@homeward/agent-runtime'
import { createScriptedModel } from '@homeward/agent-runtime/testing'
import { answerParent } from '../child.ts'

/** What the process that a run is taken up in can be asked for. */
export type ResumeProcessCalls = typeof calls

const [home = '', steps = ''] = process.argv.slice(2)
/** The last turn is the answer. */
const callCount = Number(steps) - 1
const idempotencyKey = 'the-run'
const { promise: halted, resolve: halt } = Promise.withResolvers<void>()
let mayEnd = false
let toolCalls = 0

/** Calls a tool in each turn; in the last one it waits until it may end. */
const model: Model = {
  ...createScriptedModel([]),
  async doStream(call) {
    const turns = call.prompt.filter(({ role }) => role === 'assistant').length
    if (turns < callCount) {
      const toolCall = { id: `call-${turns}`, name: 'step', args: { number: turns } }
      return createScriptedModel([{ toolCalls: [toolCall] }]).doStream(call)
    }
    halt()
    if (!mayEnd) await new Promise(() => {})
    return createScriptedModel([{ text: 'Done.' }]).doStream(call)
  },
}

const runtime = createRuntime({
  home,
  environment: {},
  // Shorter than usual, for waiting for it is not what is measured.
  leaseMs: 1000,
  models: { bench: () => model },
  tools: [
    {
      id: 'step',
      description: 'Takes a step.',
      inputSchema: { type: 'object' },
      effects: 'read',
      idempotent: true,
      returnsUntrustedContent: false,
      async execute() {
        toolCalls += 1
        return { taken: true }
      },
    },
  ],
})
const request = { agent_id: 'walker', task: 'Walk.', idempotency_key: idempotencyKey }

const calls = {
  /** Takes all the steps, and stays in the last turn. @returns milliseconds */
  async walk(): Promise<number> {
    const limits = { max_turns: callCount + 1, max_runtime: 3600 }
    await runtime.agents.create({ id: 'walker', model: 'bench/walker', limits })
    const startedAt = performance.now()
    const handle = await runtime.runs.start(request)
    handle.result.catch(() => {})
    await halted
    const tookMs = performance.now() - startedAt
    // The last step is kept while the model is asked.
    await new Promise((resolve) => setTimeout(resolve, 200))
    return tookMs
  },

  /** Goes on with the run that another process has left. @returns milliseconds until the model is asked, and until the end */
  async resume(): Promise<{ askedMs: number; endedMs: number; turns: number; again: number }> {
    mayEnd = true
    const startedAt = performance.now()
    const handle = await runtime.runs.start(request)
    await halted
    const askedMs = performance.now() - startedAt
    const { turns, output } = await handle.result
    if (output !== 'Done.') throw new Error(`The run ended with ${JSON.stringify(output)}`)
    return { askedMs, endedMs: performance.now() - startedAt, turns, again: toolCalls }
  },
}
// Ends as it stands, like a process that is killed.
answerParent(calls)
