import { defineTool, type RuntimeOptions } from '@homeward/agent-runtime'
import { createScriptedModel, type ScriptedModel, type ScriptedStep } from '@homeward/agent-runtime/testing'
import * as z from 'zod'

/** A tool that a person has to approve. */
export const orderPaper = defineTool({
  id: 'order_paper',
  description: 'Orders paper for the office.',
  inputSchema: z.object({ reams: z.int() }),
  effects: 'external',
  idempotent: false,
  returnsUntrustedContent: false,
  execute: ({ reams }) => ({ order: 'A-1047', reams }),
  undo: (_, { order }) => ({ canceled: order }),
})

/** An embedding model that puts animals at one end and everything else at the other. */
export const animals: NonNullable<RuntimeOptions['embeddingModel']> = {
  specificationVersion: 'v4',
  provider: 'office',
  modelId: 'animals',
  maxEmbeddingsPerCall: 100,
  supportsParallelCalls: true,
  doEmbed: async ({ values }) => ({
    embeddings: values.map((text) => (/dog|cat/.test(text) ? [1, 0] : [0, 1])),
    usage: { tokens: values.length * 2 },
    warnings: [],
  }),
}

/** A model for examples, which can be made to wait. */
interface OfficeModel {
  readonly model: ScriptedModel
  /** Holds back what the model says until the returned function is called. */
  hold(): () => void
}

/**
 * Makes the model of the recorded examples: it answers a few questions about an office.
 *
 * @param think - called with each call: time passes
 */
export function createOfficeModel(think: () => void): OfficeModel {
  let held: Promise<void> | undefined
  const gate = async () => {
    await held
    think()
  }
  const usage = { input: 412, output: 23 }
  const model = createScriptedModel(
    Array.from({ length: 100 }, () => ({ prompt }) => {
      const last = prompt.at(-1)
      return { usage, gate, ...replyTo(last?.role === 'tool', JSON.stringify(last)) }
    }),
  )
  return {
    model,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
  }
}

function replyTo(isResult: boolean, text: string): ScriptedStep {
  if (isResult) return { text: 'I ordered 10 reams of paper (order A-1047).' }
  if (/Order/.test(text)) return { toolCalls: [{ name: 'order_paper', args: { reams: 10 } }] }
  if (/fail/.test(text)) return { error: new Error('The provider is down.') }
  if (/minutes\.txt/.test(text)) return { text: 'The minutes list three decisions.' }
  if (/<messages>|<conversation>|Summary so far/.test(text))
    return { text: 'Ben asked about the meetings of tomorrow.' }
  return { text: ['You have two meetings tomorrow: ', '9:00 budget, 14:00 design review.'] }
}
