import { stepCountIs, streamText, tool } from 'ai'
import * as z from 'zod'
import type { CreateContender } from '../../run-loop/contender.ts'
import { instructions, lookUp, question, toolCalls, toolDescription, toolName } from '../../run-loop/task.ts'
import { createZeroLatencyModel } from '../../run-loop/zero-latency-model.ts'

/** `streamText` of the AI SDK, its stream read to the end. */
export const createContender: CreateContender = async () => {
  const model = createZeroLatencyModel()
  const lookUpTool = tool({
    description: toolDescription,
    inputSchema: z.object({ key: z.string() }),
    execute: async ({ key }) => lookUp(key),
  })
  return {
    async run() {
      const result = streamText({
        model,
        instructions,
        prompt: question,
        tools: { [toolName]: lookUpTool },
        stopWhen: stepCountIs(toolCalls + 5),
      })
      await result.consumeStream()
      return await result.text
    },
  }
}
