import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { CreateContender } from '../contender.ts'
import { instructions, lookUp, question, toolName } from '../task.ts'
import { createZeroLatencyModel } from '../zero-latency-model.ts'

/** The least that a loop over a model can do: no stream, no checks, no limits, nothing kept. */
export const createContender: CreateContender = async () => {
  const model = createZeroLatencyModel()
  const tools: Readonly<Record<string, (args: { key: string }) => unknown>> = {
    [toolName]: ({ key }) => lookUp(key),
  }
  return {
    async run() {
      const prompt: LanguageModelV4Message[] = [
        { role: 'system', content: instructions },
        { role: 'user', content: [{ type: 'text', text: question }] },
      ]
      for (;;) {
        const { content } = await model.doGenerate({ prompt })
        const [part] = content
        if (part?.type !== 'tool-call') return part?.type === 'text' ? part.text : ''
        const { toolCallId, input } = part
        const args = JSON.parse(input) as { key: string }
        const value = JSON.stringify(tools[part.toolName]!(args))
        prompt.push(
          { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: args }] },
          {
            role: 'tool',
            content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } }],
          },
        )
      }
    },
  }
}
