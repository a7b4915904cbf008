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

it('sends a prompt unchanged while the window is not known, until it is rejected', async () => {
  const { fitter, windows } = createKit()
  const long = call(30_000)
  expect(await fitter.fit('a/b', long)).toBe(long)
  const overflow = { windowTokens: 4096, promptTokens: 7500, isWithOutput: false }
  expect(await fitter.learn('a/b', long, long, overflow)).toBeUndefined()
  const fitted = await fitter.fit('a/b', long)
  expect(fitted.prompt).toHaveLength(2)
  expect(await windows.of('a/b', {})).toMatchObject({ tokens: 4096, limitsOutput: false })
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

it('fails with the parts that do not fit if a prompt cannot be made shorter', async () => {
  const { fitter } = createKit()
  const short = { prompt: call(0).prompt.filter((_, at) => at === 0 || at === 3) }
  const problem = await fitter.learn('a/b', short, short, { isWithOutput: false })
  expect(problem).toMatchObject({
    code: 'validation_error',
    message: expect.stringContaining('does not fit'),
  })
})

it('sends the shortest prompt to a model whose rejection reported a window that is far too small', async () => {
  const { fitter, windows } = createKit()
  windows.learn('a/b', { tokens: 300, limitsOutput: false })
  const long = call(30_000)
  const prompt = [...long.prompt.slice(0, 3), { ...long.prompt[1]! }]
  const fitted = await fitter.fit('a/b', { prompt })
  expect(fitted.prompt.map(({ role }) => role)).toEqual(['system', 'user'])
  const problem = await fitter.learn('a/b', { prompt }, fitted, { isWithOutput: false })
  expect(problem).toMatchObject({ code: 'validation_error' })
})

it('reads the window from a rejection', () => {
  const tokensOf = (...given: Parameters<typeof toWindow>) => toWindow(...given).window.tokens
  expect(tokensOf({ windowTokens: 8000, isWithOutput: false }, 10_000)).toBe(8000)
  // a number that does not explain the rejection, and no number
  expect(tokensOf({ windowTokens: 8000, isWithOutput: false }, 4000)).toBe(3000)
  expect(tokensOf({ isWithOutput: false }, 4000)).toBe(3000)
  // the answer was too long; when its limit is small, the prompt was
  expect(tokensOf({ windowTokens: 8000, isWithOutput: true }, 4000)).toBe(8000)
  expect(tokensOf({ windowTokens: 8000, isWithOutput: true }, 4000, 1000)).toBe(3000)
})

it('expects more tokens than estimated for the rest of the run, but not in other runs', async () => {
  const { fitter, windows } = createKit()
  const long = call(15_000)
  const overflow = { windowTokens: 8000, promptTokens: 10_000, isWithOutput: false }
  expect(await fitter.learn('a/b', long, long, overflow)).toBeUndefined()
  expect((await fitter.fit('a/b', call(9000))).prompt).toHaveLength(2)
  expect(await windows.of('a/b', {})).toMatchObject({ tokens: 8000, limitsOutput: false })
})
