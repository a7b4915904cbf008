import * as contract from '@homeward/contract/agent-platform'
import { openaiExamples } from '@homeward/contract/examples'
import type { DocumentedInterface } from './operation-sections.ts'

const openAi: DocumentedInterface = {
  title: 'OpenAI-compatible endpoint',
  operations: contract.openaiOperations,
  examples: openaiExamples,
  errors: contract.openaiErrors,
  shapes: {},
  sources: ['operations', 'chat-completion', 'response', 'request-fields'].map(
    (name) => `packages/contract/src/agent-platform/openai/${name}.ts`,
  ),
  tables: ['openaiOperations'],
  mixins: { ChatCompletionRequest: ['sharedRequestFields'], ResponseRequest: ['sharedRequestFields'] },
}

/** The OpenAI-compatible endpoint of the agent platform. */
export const openAiApi = {
  shown: openAi,
  errorNote:
    'These operations come from [their own table](../../packages/contract/src/agent-platform/openai/operations.ts). Errors ' +
    'below `/v1` have the shape of the OpenAI API: `{"error": {"message", "type", "param", "code"}}`. The guide ' +
    '[OpenAI-compatible endpoint](../guides/openai-compatible.md) says which features are supported.',
}
