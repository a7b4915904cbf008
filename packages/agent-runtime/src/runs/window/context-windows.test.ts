import { expect, it } from 'vitest'
import { createContextWindows } from './context-windows.ts'

const tokensOf = async (windows: ReturnType<typeof createContextWindows>, model: string, own?: number) =>
  (await windows.of(model, own === undefined ? {} : { context: { window_tokens: own } }))?.tokens

it('knows a window by the agent, the list, the family and the setting, in this order', async () => {
  const windows = createContextWindows({ configured: async () => 8192 })
  expect(await tokensOf(windows, 'local/qwen')).toBe(8192)
  expect(await tokensOf(windows, 'anthropic/claude-sonnet-5')).toBe(200_000)
  expect(await tokensOf(windows, 'openrouter/google/gemini-3-pro')).toBe(1_000_000)
  expect(await tokensOf(windows, 'openai/gpt-5-chat-latest')).toBe(128_000)
  windows.note([
    { id: 'local/qwen', context_window: 32_768 },
    { id: 'anthropic/claude-sonnet-5', context_window: 1_000_000 },
    { id: 'local/odd', context_window: 0 },
    { id: 'local/plain' },
  ])
  expect(await tokensOf(windows, 'local/qwen')).toBe(32_768)
  expect(await tokensOf(windows, 'anthropic/claude-sonnet-5')).toBe(1_000_000)
  expect(await tokensOf(windows, 'local/odd')).toBe(8192)
  expect(await tokensOf(windows, 'local/qwen', 4096)).toBe(4096)
  expect(await tokensOf(createContextWindows(), 'local/qwen')).toBeUndefined()
})

it('uses the smallest window that a rejection reported', async () => {
  const windows = createContextWindows()
  windows.learn('a/b', { tokens: 9000, limitsOutput: true })
  windows.learn('a/b', { tokens: 10_000, limitsOutput: false })
  expect(await windows.of('a/b', {})).toEqual({ tokens: 9000, limitsOutput: true, isLearned: true })
  expect(await windows.of('a/b', { context: { window_tokens: 100_000 } })).toEqual({
    tokens: 9000,
    limitsOutput: true,
    isLearned: true,
  })
  expect(await tokensOf(windows, 'a/b', 4096)).toBe(4096)
})

it('remembers 500 rejected models', async () => {
  const windows = createContextWindows()
  for (let at = 0; at < 501; at += 1) windows.learn(`a/${at}`, { tokens: 9000, limitsOutput: false })
  expect(await tokensOf(windows, 'a/0')).toBeUndefined()
  expect(await tokensOf(windows, 'a/1')).toBe(9000)
})
