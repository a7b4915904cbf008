import { APICallError } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { readOverflow } from './read-overflow.ts'

const answered = (message: string, statusCode = 400, more = {}) =>
  new APICallError({
    message,
    url: 'http://x.example',
    requestBodyValues: {},
    statusCode,
    responseBody: JSON.stringify({ error: { message, ...more } }),
  })

describe('a rejection of a prompt that is too long', () => {
  it.each([
    [
      'OpenAI (Chat Completions)',
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 150123 tokens. Please reduce the length of the messages.",
      { windowTokens: 128_000, promptTokens: 150_123 },
    ],
    ['Anthropic', 'prompt is too long: 210000 tokens > 200000 maximum', { windowTokens: 200_000 }],
    [
      'Google',
      'The input token count (1048600) exceeds the maximum number of tokens allowed (1048576).',
      { windowTokens: 1_048_576, promptTokens: 1_048_600 },
    ],
    [
      'OpenRouter',
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens (140000 of text input, 10000 in the output). Please reduce the length of either one.",
      { windowTokens: 131_072, promptTokens: 140_000 },
    ],
    [
      'llama.cpp',
      'the request exceeds the available context size (8192 tokens), try increasing it',
      { windowTokens: 8192 },
    ],
    [
      'llama.cpp (new)',
      'request (10050 tokens) exceeds the available context size (8192 tokens), try increasing it',
      { windowTokens: 8192, promptTokens: 10_050 },
    ],
    [
      'vLLM',
      "This model's maximum context length is 8192 tokens. However, you requested 9012 tokens (8500 in the messages, 512 in the completion). Please reduce the length of the messages or completion.",
      { windowTokens: 8192, promptTokens: 8500, isWithOutput: true },
    ],
    [
      'vLLM (new)',
      'The decoder prompt (length 9001) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.',
      { windowTokens: 8192, promptTokens: 9001 },
    ],
    ['Ollama', 'the input length exceeds the context length', {}],
    [
      'LM Studio',
      'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9210>= n_ctx: 8192). Try to load the model with a larger context length, or provide a shorter input.',
      { windowTokens: 8192, promptTokens: 9210 },
    ],
    [
      'LM Studio (older)',
      'Trying to keep the first 9210 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
      { windowTokens: 4096 },
    ],
    [
      'Mistral',
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      { windowTokens: 32_768, promptTokens: 40_000 },
    ],
    [
      'xAI',
      "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
      { windowTokens: 131_072, promptTokens: 150_000 },
    ],
    [
      'a count and a limit',
      'the request exceeds the available context size: 12000 tokens of 8192, try increasing it',
      { windowTokens: 8192, promptTokens: 12_000 },
    ],
    [
      'Moonshot',
      'Invalid request: Your request exceeded model token limit: 131072',
      { windowTokens: 131_072 },
    ],
    ['Qwen', 'Range of input length should be [1, 30720]', { windowTokens: 30_720 }],
  ])('is known from %s', (_, message, expected) => {
    expect(readOverflow(answered(message))).toMatchObject(expected)
  })

  it('is known by its code, its status, its fields, and in a stream', () => {
    expect(readOverflow(answered('No.', 400, { code: 'context_length_exceeded' }))).toBeDefined()
    expect(
      readOverflow(
        answered('Your input exceeds the context window of this model. Please adjust your input.'),
      ),
    ).toBeDefined()
    expect(readOverflow(answered('Too large', 413))).toBeDefined()
    const fields = { type: 'exceed_context_size_error', n_prompt_tokens: 9000, n_ctx: 4096 }
    expect(readOverflow(answered('Too long', 400, fields))).toMatchObject({
      windowTokens: 4096,
      promptTokens: 9000,
    })
    expect(
      readOverflow({ code: 400, message: 'prompt is too long: 9000 tokens > 8192 maximum' }),
    ).toMatchObject({ windowTokens: 8192, promptTokens: 9000 })
  })

  it('tells the prompt alone from the prompt with its largest answer', () => {
    const message = 'input length and `max_tokens` exceed context limit: 150000 + 64000 > 200000'
    expect(readOverflow(answered(message))).toEqual({
      windowTokens: 200_000,
      promptTokens: 150_000,
      isWithOutput: true,
    })
  })

  it.each([
    ['another error', 'Invalid schema for function "look"', 400],
    [
      'a limit of tokens in a minute',
      'Request too large: Limit 30000 tokens per min (TPM), Requested 40000',
      429,
    ],
    ['a refused key', 'Your API key exceeds the limit of 10', 401],
    ['a failure that passes', 'The server is overloaded', 503],
  ])('is not %s', (_, message, status) => {
    expect(readOverflow(answered(message, status))).toBeUndefined()
  })
})
