import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import { shortenResults, type Shortening } from './shorten-results.ts'

type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>
type Output = LanguageModelV4ToolResultPart['output']

const old: Shortening = { maxChars: 400, keepsLines: false, hasFiles: true }
const fresh: Shortening = { ...old, keepsLines: true }
const file = {
  type: 'file',
  filename: 'chart.png',
  mediaType: 'image/png',
  data: { type: 'reference', reference: { homeward: 'f1' } },
} as const

function shorten(output: Output, how: Shortening) {
  const part = { type: 'tool-result', toolCallId: 'c', toolName: 'draw', output } as const
  const { message, files } = shortenResults({ role: 'tool', content: [part] } satisfies ToolMessage, how)
  const [short] = message.content
  return { output: short?.type === 'tool-result' ? short.output : undefined, files }
}

it('leaves short results', () => {
  for (const how of [old, fresh]) {
    expect(shorten({ type: 'text', value: 'a\nb' }, how)).toEqual({
      output: { type: 'text', value: 'a\nb' },
      files: [],
    })
  }
})

it('writes an old result in one line, and a new one as it is', () => {
  const value = 'line\n'.repeat(200)
  const { output, files } = shorten({ type: 'error-text', value }, old)
  expect(output).toEqual({
    type: 'error-text',
    value: expect.stringMatching(/^\[Shortened .* line line line[ line]*$/),
  })
  expect(files).toEqual([{ path: expect.stringMatching(/^results\/[0-9a-f]{24}\.txt$/), text: value }])
  expect(shorten({ type: 'text', value }, fresh).output).toMatchObject({
    value: expect.stringMatching(/\]\nline\nline\n/),
  })
})

it('names the pictures of an old result, and keeps those of a new one', () => {
  const small: Output = { type: 'content', value: [{ type: 'text', text: 'Drawn.' }, file] }
  expect(shorten(small, old)).toEqual({
    output: { type: 'text', value: 'Drawn.\n[file chart.png, image/png]' },
    files: [],
  })
  expect(shorten(small, fresh).output).toBe(small)
  const large: Output = { type: 'content', value: [{ type: 'text', text: 'Drawn. '.repeat(200) }, file] }
  expect(shorten(large, fresh).output).toEqual({
    type: 'content',
    value: [{ type: 'text', text: expect.stringContaining('[Shortened to fit') }, file],
  })
  expect(shorten(large, old).output).toMatchObject({ type: 'text' })
})

it('never cuts a character in half', () => {
  const { output } = shorten({ type: 'text', value: '😀'.repeat(1000) }, { ...old, maxChars: 301 })
  expect(JSON.stringify(output)).not.toMatch(/\\ud83d"|\ufffd/)
})
