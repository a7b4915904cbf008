import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import * as z from 'zod'
import type { CreateContender } from '../../run-loop/contender.ts'
import { instructions, lookUp, question, toolCalls, toolDescription, toolName } from '../../run-loop/task.ts'
import { createZeroLatencyModel } from '../../run-loop/zero-latency-model.ts'

/** An agent of Mastra, without storage. */
export const createContender: CreateContender = async () => {
  const lookUpTool = createTool({
    id: toolName,
    description: toolDescription,
    inputSchema: z.object({ key: z.string() }),
    execute: async ({ key }) => lookUp(key),
  })
  const agent = new Agent({
    id: 'bench',
    name: 'bench',
    instructions,
    model: createZeroLatencyModel(),
    tools: { [toolName]: lookUpTool },
  })
  return {
    async run() {
      const { text } = await agent.generate(question, { maxSteps: toolCalls + 5 })
      return text
    },
  }
}
