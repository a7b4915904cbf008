import { expect, it } from 'vitest'
import { isLightMarkdown } from './is-light-markdown.ts'

it('takes what people write, and no text that would hold the page up', () => {
  expect(isLightMarkdown('# A\n\n- b\n  - c\n\n> > 1. d\n\n' + '-'.repeat(200))).toBe(true)
  expect(isLightMarkdown('x'.repeat(60_000))).toBe(true)
  expect(isLightMarkdown('x'.repeat(60_001))).toBe(false)
  for (const nested of ['- ', '>', '> ', '* ', '1. ', '23) ', '\t+ ']) {
    expect(isLightMarkdown(`Some text\n\n${nested.repeat(300)}x`)).toBe(false)
  }
})

it('answers at once, whatever the text', () => {
  const startedAt = performance.now()
  for (const part of ['- ', '\t', ' - \n', '1', '1. \n'.padEnd(90), '>'.repeat(39) + '\n']) {
    isLightMarkdown(part.repeat(Math.floor(60_000 / part.length)))
  }
  expect(performance.now() - startedAt).toBeLessThan(5000)
})
