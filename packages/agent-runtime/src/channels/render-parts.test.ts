import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { toTelegramHtml } from './markdown-to-html.ts'
import { renderParts } from './render-parts.ts'

it('keeps both texts of every part within the limit, and never sends an empty one', () => {
  const signs = fc.constantFrom(
    ...'<>&"`*_[]()# \n\n-|a1.'.split(''),
    '```\n',
    '<!-- -->',
    '[a]: b\n',
    'word ',
  )
  fc.assert(
    fc.property(
      fc.array(signs, { maxLength: 900, size: 'max' }),
      fc.integer({ min: 128, max: 600 }),
      (units, maxLength) => {
        const parts = renderParts(units.join(''), { maxLength, toText: toTelegramHtml })
        expect(parts.length).toBeGreaterThan(0)
        for (const { text, plain } of parts) {
          expect(text.length).toBeLessThanOrEqual(maxLength)
          expect(plain.length).toBeLessThanOrEqual(maxLength)
          expect(text.trim()).not.toBe('')
          expect(plain.trim()).not.toBe('')
        }
      },
    ),
    { numRuns: 60 },
  )
})

it('says that there is no answer, when there is none', () => {
  const expected = [{ text: '(no answer)', plain: '(no answer)' }]
  for (const nothing of ['', '   ', '\n\n']) {
    expect(renderParts(nothing, { maxLength: 200, toText: toTelegramHtml })).toEqual(expected)
  }
})

it('shows what renders to nothing as it was written', () => {
  expect(renderParts('[a]: https://a.example', { maxLength: 200, toText: toTelegramHtml })).toEqual([
    { text: '[a]: https://a.example', plain: '[a]: https://a.example' },
  ])
})

it('renders chunk by chunk, so that every tag is closed where it was opened', () => {
  const code = `\`\`\`ts\n${'const a = 1 < 2\n'.repeat(40)}\`\`\``
  const parts = renderParts(`Before\n\n${code}\n\nAfter`, { maxLength: 300, toText: toTelegramHtml })
  expect(parts.length).toBeGreaterThan(2)
  for (const { text } of parts) {
    expect(text.match(/<pre>/g)?.length).toBe(text.match(/<\/pre>/g)?.length)
  }
  expect(
    parts
      .map((part) => part.plain)
      .join('\n')
      .match(/const a = 1 < 2/g),
  ).toHaveLength(40)
})

it('takes a second at most for a very long and hostile answer', () => {
  const began = performance.now()
  renderParts('**a [b](c '.repeat(5000), { maxLength: 4000, toText: toTelegramHtml })
  expect(performance.now() - began).toBeLessThan(5000)
})
