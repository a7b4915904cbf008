import type { LanguageModelV4Message } from '@ai-sdk/provider'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../conversations/estimate-tokens.ts'
import { createPromptFit } from './fit-prompt.ts'
import { createPromptTokens } from './prompt-tokens.ts'

type Prompt = LanguageModelV4Message[]

const user = (text: string): LanguageModelV4Message => ({ role: 'user', content: [{ type: 'text', text }] })
const step = (id: number, ...results: string[]): Prompt => [
  {
    role: 'assistant',
    content: results.map((_, at) => ({
      type: 'tool-call',
      toolCallId: `${id}-${at}`,
      toolName: 'look',
      input: { id },
    })),
  },
  {
    role: 'tool',
    content: results.map((value, at) => ({
      type: 'tool-result',
      toolCallId: `${id}-${at}`,
      toolName: 'look',
      output: { type: 'text', value },
    })),
  },
]
const system: LanguageModelV4Message = { role: 'system', content: 'You help.' }
const long = (id: number) => `${id} ${'result '.repeat(1000)}`

function fitIn(windowTokens: number, hasFiles = true) {
  const tokens = createPromptTokens(estimateTokens)
  const window = { tokens: windowTokens, limitsOutput: false }
  const fit = createPromptFit({ tokens, model: 'a/b', window, hasFiles })
  return { fit, sizeOf: (prompt: Prompt) => tokens.ofCall({ prompt }) }
}

describe('a prompt that is longer than its context window', () => {
  it('stays as it is while it fits', () => {
    const prompt = [system, user('Hi'), ...step(1, long(1))]
    const { prompt: fitted, files } = fitIn(128_000).fit(prompt, 1, undefined)
    expect(fitted).toEqual(prompt)
    expect(files).toEqual([])
  })

  it.each([51_200, 55_000, 58_000])(
    'keeps every step that fits beside a newest result of %i characters',
    (chars) => {
      const result = 'x'.repeat(chars)
      const { fit, sizeOf } = fitIn(30_000)
      let prompt: Prompt = [system, user('Go')]
      for (const id of [1, 2, 3]) {
        prompt = [...prompt, ...step(id, result)]
        const { prompt: fitted } = fit(prompt, 1, undefined)
        expect(fitted).toHaveLength(prompt.length)
        expect(fitted.at(-1)).toBe(prompt.at(-1))
        expect(sizeOf(fitted)).toBeLessThan(30_000)
      }
    },
  )

  it('has its oldest results as one line that names their file', () => {
    const prompt = [system, user('Go'), ...[1, 2, 3, 4].flatMap((id) => step(id, long(id)))]
    const { fit, sizeOf } = fitIn(12_000)
    const { prompt: fitted, files } = fit(prompt, 1, undefined)
    expect(fitted).toHaveLength(prompt.length)
    expect(fitted.at(-1)).toBe(prompt.at(-1))
    const told = JSON.stringify(fitted[3])
    expect(told).toMatch(
      /All 7,002 characters are in the workspace file results\/[0-9a-f]{24}\.txt\.\] 1 result/,
    )
    expect(files[0]?.text).toBe(long(1))
    expect(told).toContain(files[0]?.path)
    expect(sizeOf(fitted)).toBeLessThan(9000)
  })

  it('is cut in large steps and only grows in between', () => {
    const { fit } = fitIn(128_000)
    const prompt = [system, user('Go')]
    let before: Prompt = []
    let cuts = 0
    for (let id = 0; id < 40; id += 1) {
      prompt.push(...step(id, 'x'.repeat(51_200)))
      const { prompt: fitted } = fit(prompt.slice(), 1, undefined)
      if (before.some((message, at) => message !== fitted[at])) cuts += 1
      before = fitted
    }
    expect(cuts).toBeGreaterThan(5)
    expect(cuts).toBeLessThan(20)
  })

  it('is cut in the same way by a process that has only the stored history', () => {
    const prompt = [system, user('Go'), ...Array.from({ length: 60 }, (_, id) => step(id, long(id))).flat()]
    const first = fitIn(16_000)
    for (let at = 2; at <= prompt.length; at += 2) first.fit(prompt.slice(0, at), 1, undefined)
    const { prompt: going } = first.fit(prompt, 1, undefined)
    expect(fitIn(16_000).fit(structuredClone(prompt), 1, undefined).prompt).toEqual(going)
  })

  it('leaves out earlier messages, then earlier steps, and says so before the task', () => {
    const history = [user(long(90)), user(long(91)), ...step(92, 'a')]
    const steps = Array.from({ length: 200 }, (_, id) => step(id, `short ${id}`)).flat()
    const prompt = [system, ...history, user('The task'), ...steps]
    const { fit, sizeOf } = fitIn(4096)
    const { prompt: fitted } = fit(prompt, 5, undefined)
    expect(sizeOf(fitted)).toBeLessThan(3072)
    expect(fitted[0]).toBe(system)
    expect(JSON.stringify(fitted[1])).toMatch(/Earlier messages .*The first \d+ steps .*The task/)
    expect(fitted[2]?.role).toBe('assistant')
    expect(fitted.at(-1)).toBe(prompt.at(-1))
  })

  it('shares what is left between new results that alone are too large', () => {
    const prompt = [system, user('Go'), ...step(1, '漢'.repeat(90_000), 'y'.repeat(90_000))]
    const { fit, sizeOf } = fitIn(8192)
    const { prompt: fitted, files } = fit(prompt, 1, undefined)
    expect(sizeOf(fitted)).toBeLessThan(6200)
    expect(files.map(({ text }) => text.length)).toEqual([90_000, 90_000])
  })

  it('names the file that was read, not another one', () => {
    const value = { path: 'notes/a.txt', size: 9000, content: 'n'.repeat(9000) }
    const [call, results] = step(1, '')
    const part = {
      type: 'tool-result',
      toolCallId: '1-0',
      toolName: 'read_file',
      output: { type: 'json', value },
    }
    const read = { ...results, content: [part] } as LanguageModelV4Message
    const prompt = [system, user('Go'), call!, read, ...step(2, long(2)), ...step(3, long(3))]
    const { prompt: fitted, files } = fitIn(8192).fit(prompt, 1, undefined)
    expect(JSON.stringify(fitted[3])).toContain('workspace file notes/a.txt.]')
    expect(files.some(({ text }) => text.includes('nnn'))).toBe(false)
  })

  it('names no file without a workspace', () => {
    const prompt = [system, user('Go'), ...step(1, long(1)), ...step(2, long(2)), ...step(3, long(3))]
    const { prompt: fitted, files } = fitIn(8192, false).fit(prompt, 1, undefined)
    expect(files).toEqual([])
    expect(JSON.stringify(fitted[3])).toContain('It had 7,002 characters.]')
  })

  it('is an error when system prompt and tools, or the task, are far too long', () => {
    const { fit } = fitIn(1000)
    expect(() => fit([{ role: 'system', content: 'x'.repeat(9000) }, user('Hi')], 1, undefined)).toThrow(
      /^Calling the model a\/b failed: the prompt does not fit into the context window of 1,000 tokens\. The system prompt and the tools use about 3,004 tokens.*Shorten the personality/,
    )
    expect(() => fit([system, user('x'.repeat(9000))], 1, undefined)).toThrow(/Send a shorter message/)
  })

  it('always keeps calls with their results, the task, and the newest step', () => {
    const size = fc.integer({ min: 0, max: 20_000 })
    const steps = fc.array(fc.array(size, { minLength: 1, maxLength: 4 }), { maxLength: 30 })
    fc.assert(
      fc.property(
        fc.array(size, { maxLength: 5 }),
        steps,
        fc.integer({ min: 1000, max: 40_000 }),
        (past, done, tokens) => {
          const history = past.flatMap((length, at) => [user('q'), ...step(1000 + at, 'h'.repeat(length))])
          const told = done.flatMap((lengths, at) => step(at, ...lengths.map((length) => 'r'.repeat(length))))
          const prompt = [system, ...history, user('The task'), ...told]
          const { fit, sizeOf } = fitIn(tokens)
          const { prompt: fitted } = fit(prompt, history.length + 1, undefined)
          const open = new Set<string>()
          for (const { role, content } of fitted) {
            if (role !== 'assistant' && role !== 'tool') continue
            for (const part of content) {
              if (part.type === 'tool-call') open.add(part.toolCallId)
              if (part.type === 'tool-result') expect(open.delete(part.toolCallId)).toBe(true)
            }
          }
          expect(open.size).toBe(0)
          expect(JSON.stringify(fitted)).toContain('The task')
          expect(fitted.at(-1)?.role).toBe(prompt.at(-1)?.role)
          if (tokens > 4000) expect(sizeOf(fitted)).toBeLessThanOrEqual(tokens)
        },
      ),
    )
  })
})
