import { generateText, jsonSchema, stepCountIs, tool } from 'ai'
import type { CreateContender } from '../../run-loop/contender.ts'
import {
  instructions,
  lookUp,
  question,
  toolCalls,
  toolDescription,
  toolName,
  toolParameters,
} from '../../run-loop/task.ts'
import { createZeroLatencyModel } from '../../run-loop/zero-latency-model.ts'

/** `generateText` of the AI SDK with a plain JSON Schema, against which it checks nothing. */
export const createContender: CreateContender = async () => {
  const model = createZeroLatencyModel()
  const lookUpTool = tool({
    description: toolDescription,
    inputSchema: jsonSchema<{ key: string }>({ ...toolParameters, required: ['key'] }),
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
