import { jsonSchema, stepCountIs, streamText, tool } from 'ai'
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

/** `streamText` of the AI SDK, its stream read to the end. */
export const createContender: CreateContender = async () => {
  const model = createZeroLatencyModel()
  const lookUpTool = tool({
    description: toolDescription,
    inputSchema: jsonSchema<{ key: string }>({ ...toolParameters, required: ['key'] }),
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
