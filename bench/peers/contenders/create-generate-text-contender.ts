import { generateText, stepCountIs, tool, type FlexibleSchema } from 'ai'
import type { Contender } from '../../run-loop/contender.ts'
import { instructions, lookUp, question, toolCalls, toolDescription, toolName } from '../../run-loop/task.ts'
import { createZeroLatencyModel } from '../../run-loop/zero-latency-model.ts'

/** `generateText` of the AI SDK, its tool with this schema. */
export function createGenerateTextContender(inputSchema: FlexibleSchema<{ key: string }>): Contender {
  const model = createZeroLatencyModel()
  const lookUpTool = tool({
    description: toolDescription,
    inputSchema,
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
