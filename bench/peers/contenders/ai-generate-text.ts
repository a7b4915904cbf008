import { generateText, stepCountIs, tool } from 'ai'
import * as z from 'zod'
import type { CreateContender } from '../../run-loop/contender.ts'
import { instructions, lookUp, question, toolCalls, toolDescription, toolName } from '../../run-loop/task.ts'
import { createZeroLatencyModel } from '../../run-loop/zero-latency-model.ts'

/** `generateText` of the AI SDK with a schema of zod, as its documentation shows it: it checks arguments. */
export const createContender: CreateContender = async () => {
  const model = createZeroLatencyModel()
  const lookUpTool = tool({
    description: toolDescription,
    inputSchema: z.object({ key: z.string() }),
    execute: async ({ key }) => lookUp(key),
  })
  return {
    async run() {
      const { text } = await generateText({
        model,
        instructions,
        prompt: question,
        tools: { [toolName]: lookUpTool },
        stopWhen: stepCountIs(toolCalls + 5),
      })
      return text
    },
  }
}
