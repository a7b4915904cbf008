import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
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

class ZeroLatencyChatModel extends BaseChatModel {
  _llmType() {
    return 'zero-latency'
  }

  override bindTools() {
    return this
  }

  async _generate(messages: BaseMessage[]) {
    const last = messages.at(-1)
    const turn = playTurn(last instanceof ToolMessage ? last.tool_call_id : undefined)
    const message =
      'text' in turn
        ? new AIMessage(turn.text)
        : new AIMessage({
            content: '',
            tool_calls: [{ id: turn.callId, name: toolName, args: JSON.parse(turn.args), type: 'tool_call' }],
          })
    return { generations: [{ text: 'text' in turn ? turn.text : '', message }] }
  }
}

/** The prebuilt agent of LangGraph, without a checkpointer. */
export const createContender: CreateContender = async () => {
  const lookUpTool = tool(async ({ key }: { key: string }) => JSON.stringify(lookUp(key)), {
    name: toolName,
    description: toolDescription,
    schema: z.object({ key: z.string() }),
  })
  const agent = createReactAgent({
    llm: new ZeroLatencyChatModel({}),
    tools: [lookUpTool],
    prompt: instructions,
  })
  return {
    async run() {
      const messages = [{ role: 'user', content: question }]
      const result = await agent.invoke({ messages }, { recursionLimit: 2 * toolCalls + 10 })
      return String(result.messages.at(-1)?.content)
    },
  }
}
