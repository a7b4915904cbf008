import type { ProviderApi } from '@homeward/contract/agent-platform'

/** The APIs that model providers are called with, as people know them. */
export const apiNames: Readonly<Record<ProviderApi, string>> = {
  'openai-chat': 'OpenAI Chat Completions',
  'openai-responses': 'OpenAI Responses',
  anthropic: 'Anthropic Messages',
  google: 'Google Gemini',
}
