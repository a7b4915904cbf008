import * as contract from '@homeward/contract/agent-platform'
import { openaiExamples } from '@homeward/contract/examples'
import { createOperationSections, type DocumentedInterface } from './operation-sections.ts'

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

/** The part of the agent platform's page about the OpenAI-compatible endpoint. */
export function openAiSections(): string[] {
  const { index, operations } = createOperationSections(openAi)
  return [
    '## OpenAI-compatible endpoint',
    'From [its table](../../packages/contract/src/agent-platform/openai/operations.ts). Errors below `/v1` have the shape ' +
      'of the OpenAI API: `{"error": {"message", "type", "param", "code"}}`. What is supported, and how, is in ' +
      '[OpenAI-compatible endpoint](../guides/openai-compatible.md).',
    index,
    ...operations,
  ]
}
