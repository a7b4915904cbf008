import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { expect, it, vi } from 'vitest'
import { estimateTokens } from '../../conversations/estimate-tokens.ts'
import { silentLogger } from '../../ports/logger.ts'
import { createContextWindows } from './context-windows.ts'
import { createPromptFitter, toWindow } from './prompt-fitter.ts'

const call = (chars: number): LanguageModelV4CallOptions => ({
  prompt: [
    { role: 'system', content: 'You help.' },
    { role: 'user', content: [{ type: 'text', text: 'Earlier. '.repeat(chars / 9) }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Now.' }] },
  ],
})

function createKit(own?: number) {
  const windows = createContextWindows()
  const workspace = vi.fn(async () => undefined)
  const context = { windows, estimateTokens, logger: silentLogger, workspaceLimits: {} }
  const agent = { id: 'a', ...(own !== undefined && { context: { window_tokens: own } }) }
  return { windows, workspace, fitter: createPromptFitter(context, { agent, taskAt: () => 3, workspace }) }
}

it('sends what it knows no window for as it is, until it is rejected', async () => {
  const { fitter, windows } = createKit()
  const long = call(30_000)
  expect(await fitter.fit('a/b', long)).toBe(long)
  const overflow = { windowTokens: 4096, promptTokens: 7500, isWithOutput: false }
  expect(await fitter.learn('a/b', long, long, overflow)).toBeUndefined()
  const fitted = await fitter.fit('a/b', long)
  expect(fitted.prompt).toHaveLength(2)
  expect(fitter.prompt()).toBe(fitted.prompt)
  expect(await windows.of('a/b', {})).toEqual({ tokens: 4096, limitsOutput: false })
  expect(await fitter.fit('c/d', long)).toBe(long)
})

it('limits the answer for a provider that counts it', async () => {
  const { fitter } = createKit()
  const long = call(30_000)
  const overflow = { windowTokens: 12_000, promptTokens: 7000, isWithOutput: true }
  expect(await fitter.learn('a/b', long, long, overflow)).toBeUndefined()
  const fitted = await fitter.fit('a/b', long)
  expect(fitted.maxOutputTokens).toBeGreaterThan(3000)
  expect(fitted.maxOutputTokens).toBeLessThan(12_000)
})

it('limits an answer that is longer than the window', async () => {
  const { fitter } = createKit(8192)
  const { maxOutputTokens } = await fitter.fit('a/b', { ...call(900), maxOutputTokens: 100_000 })
  expect(maxOutputTokens).toBeLessThan(8192)
  expect(await fitter.fit('a/b', { ...call(900), maxOutputTokens: 500 })).toMatchObject({
    maxOutputTokens: 500,
  })
})

it('fails with what does not fit when a prompt cannot become shorter', async () => {
  const { fitter } = createKit()
  const short = { prompt: call(0).prompt.filter((_, at) => at === 0 || at === 3) }
  const problem = await fitter.learn('a/b', short, short, { isWithOutput: false })
  expect(problem).toMatchObject({
    code: 'validation_error',
    message: expect.stringContaining('does not fit'),
  })
})

it('learns a window from what a rejection tells', () => {
  // the prompt has more tokens than estimated
  expect(toWindow({ windowTokens: 8000, promptTokens: 10_000, isWithOutput: false }, 5000).tokens).toBe(4000)
  expect(toWindow({ windowTokens: 8000, isWithOutput: false }, 10_000).tokens).toBe(8000)
  // a number that explains nothing, and none at all
  expect(toWindow({ windowTokens: 8000, isWithOutput: false }, 4000).tokens).toBe(3000)
  expect(toWindow({ isWithOutput: false }, 4000).tokens).toBe(3000)
  // the answer is to blame, and then it is not any more
  expect(toWindow({ windowTokens: 8000, isWithOutput: true }, 4000).tokens).toBe(8000)
  expect(toWindow({ windowTokens: 8000, isWithOutput: true }, 4000, 1000).tokens).toBe(3000)
})
