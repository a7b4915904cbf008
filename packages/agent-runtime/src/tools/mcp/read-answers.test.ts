import { describe, expect, it } from 'vitest'
import { readToolAnswer, readToolPage } from './read-answers.ts'

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } as const })

describe('a page of tools', () => {
  it('gives those that can be read, how many cannot, and where it goes on', () => {
    const tools = [tool('a'), { name: 7 }, tool('b'), null]
    expect(readToolPage({ tools, nextCursor: 'next' })).toEqual({
      tools: [tool('a'), tool('b')],
      skippedRanges: 2,
      nextCursor: 'next',
    })
  })

  it.each([undefined, null, 7, {}, ''])('is the last one when its cursor is %j', (nextCursor) => {
    expect(readToolPage({ tools: [], nextCursor })).toEqual({
      tools: [],
      skippedRanges: 0,
      nextCursor: undefined,
    })
  })

  it.each([undefined, null, {}, 'none'])('is none when its tools are %j', (tools) => {
    expect(() => readToolPage({ tools })).toThrow('its list of tools is invalid')
  })
})

describe("a tool's answer", () => {
  const text = { type: 'text', text: 'said' }

  it('keeps the place of content of an unknown kind', () => {
    const content = [text, { type: 'hologram' }, 7, text]
    expect(readToolAnswer({ content })).toEqual({
      content: [text, undefined, undefined, text],
      isError: false,
    })
  })

  it('may have no content, but data', () => {
    const structuredContent = { n: 1 }
    expect(readToolAnswer({ structuredContent })).toEqual({
      content: [],
      structuredContent,
      isError: false,
    })
  })

  it('has no content when that is null', () => {
    const structuredContent = { n: 1 }
    expect(readToolAnswer({ content: null, structuredContent })).toEqual({
      content: [],
      structuredContent,
      isError: false,
    })
  })

  it('has no data when that is null', () => {
    const structuredContent = null
    expect(readToolAnswer({ content: [text], structuredContent })).toEqual({
      content: [text],
      isError: false,
    })
  })

  it.each([[[1]], ['text'], [7], [false]])('may have data that is no object: %j', (structuredContent) => {
    expect(readToolAnswer({ structuredContent })).toMatchObject({ structuredContent })
  })

  it('is a failure only where it says so', () => {
    const isError = [true, false, null, 'false', 1].map(
      (said) => readToolAnswer({ content: [], isError: said }).isError,
    )
    expect(isError).toEqual([true, false, false, false, false])
  })

  it.each([7, 'said', {}])('is none when its content is %j', (content) => {
    expect(() => readToolAnswer({ content })).toThrow('its response is invalid')
  })
})
