import { Agent, Runner, tool, Usage, type Model } from '@openai/agents'
import * as z from 'zod'
import type { CreateContender } from '../../run-loop/contender.ts'
import {
  instructions,
  lookUp,
  playTurn,
  question,
  toolCalls,
  toolDescription,
  toolName,
} from '../../run-loop/task.ts'

const model: Model = {
  async getResponse({ input }) {
    const last = typeof input === 'string' ? undefined : input.at(-1)
    const turn = playTurn(last?.type === 'function_call_result' ? last.callId : undefined)
    const usage = new Usage({ requests: 1, inputTokens: 10, outputTokens: 5, totalTokens: 15 })
    if ('text' in turn) {
      const content = [{ type: 'output_text' as const, text: turn.text }]
      return { usage, output: [{ type: 'message', role: 'assistant', status: 'completed', content }] }
    }
    const { callId, args } = turn
    return {
      usage,
      output: [{ type: 'function_call', callId, name: toolName, status: 'completed', arguments: args }],
    }
  },
  async *getStreamedResponse() {
    throw new Error('not used')
  },
}

/** The runner of the OpenAI Agents SDK, without tracing. */
export const createContender: CreateContender = async () => {
  const lookUpTool = tool({
    name: toolName,
    description: toolDescription,
    parameters: z.object({ key: z.string() }),
    execute: async ({ key }) => lookUp(key),
  })
  const agent = new Agent({ name: 'bench', instructions, model, tools: [lookUpTool] })
  const runner = new Runner({ tracingDisabled: true })
  return {
    async run() {
      const { finalOutput } = await runner.run(agent, question, { maxTurns: toolCalls + 5 })
      return String(finalOutput)
    },
  }
}
