import { createRuntime, type Tool } from '@homeward/agent-runtime'
import type { Contender } from './contender.ts'
import {
  instructions,
  lookUp,
  question,
  toolCalls,
  toolDescription,
  toolName,
  toolParameters,
} from './task.ts'
import { createZeroLatencyModel } from './zero-latency-model.ts'

const tool: Tool = {
  id: toolName,
  description: toolDescription,
  inputSchema: { ...toolParameters, required: ['key'] },
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
  execute: async ({ key }) => lookUp(typeof key === 'string' ? key : ''),
}

/** A runtime as it ships: arguments checked, limits on, secrets taken out, the journal and the conversation written. */
export async function createRuntimeContender(home?: string): Promise<Contender> {
  const runtime = createRuntime({
    ...(home !== undefined && { home }),
    models: { bench: () => createZeroLatencyModel() },
    tools: [tool],
    // Of the environment only what secrets are made of, so that the machine's own variables do not count.
    environment: { OPENAI_API_KEY: 'sk-bench-0123456789abcdef', GITHUB_TOKEN: 'ghp_bench0123456789abcdef' },
  })
  await runtime.agents.create({
    id: 'bench',
    model: 'bench/zero-latency',
    personality: instructions,
    limits: { max_turns: toolCalls + 5 },
  })
  return {
    async run() {
      const { output, stop_reason } = await runtime.run({ agent_id: 'bench', task: question })
      if (stop_reason !== 'done') throw new Error(`Running the task: it stopped with ${stop_reason}`)
      return output
    },
    close: () => runtime.close(),
  }
}
