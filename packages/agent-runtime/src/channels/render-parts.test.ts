import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { threadCpuMs } from '../../../../tests/thread-cpu-ms.ts'
import { toTelegramHtml } from './markdown-to-html.ts'
import { toMrkdwn } from './markdown-to-mrkdwn.ts'
import { toPlainText } from './markdown-to-plain.ts'
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

/** Blocks with a mark of their own each, so that one that is missing can be told; some refer to a source. */
const answer = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        (mark: string) => `[${mark}]: https://a.example/${mark}\n`,
        (mark: string) => `[${mark}]: <https://a.example/${mark}> "About ${mark}"`,
        (mark: string) => `> [${mark}]: https://a.example/${mark}`,
        (mark: string) => `- [${mark}]: https://a.example/${mark}\n- one more`,
        (mark: string) => `${mark}: ${'some words that fill a line. '.repeat(6)}`,
        (mark: string) => `| [x${mark}][Q1Q] | ${mark} |\n|---|---|\n| 1 | 2 |`,
        (mark: string) => `${mark}, as [told][Q1Q] and **[there][q2q]**`,
      ),
      fc.constantFrom('\n', '\n\n'),
    ),
    { minLength: 1, maxLength: 12, size: 'max' },
  )
  .map((blocks) => blocks.map(([write, gap], index) => write(`Q${index}Q`) + gap))

it('keeps what every block says, in both texts, whatever is cut and whatever refers to it', () => {
  fc.assert(
    fc.property(
      answer,
      fc.integer({ min: 128, max: 900 }),
      fc.constantFrom(toTelegramHtml, toMrkdwn, toPlainText),
      (blocks, maxLength, toText) => {
        const parts = renderParts(blocks.join(''), { maxLength, toText })
        const texts = [parts.map((part) => part.text).join('\n'), parts.map((part) => part.plain).join('\n')]
        for (const [index, block] of blocks.entries()) {
          const sought = block.includes('a.example') ? `https://a.example/Q${index}Q` : `Q${index}Q`
          for (const text of texts) expect(text).toContain(sought)
        }
        for (const { text, plain } of parts)
          expect(Math.max(text.length, plain.length)).toBeLessThanOrEqual(maxLength)
      },
    ),
    { numRuns: 300 },
  )
})

it('says that there is no answer, when there is none', () => {
  const expected = [{ text: '(no answer)', plain: '(no answer)' }]
  for (const nothing of ['', '   ', '\n\n']) {
    expect(renderParts(nothing, { maxLength: 200, toText: toTelegramHtml })).toEqual(expected)
  }
})

it('shows what renders to nothing as it was written', () => {
  expect(renderParts('# #', { maxLength: 200, toText: toTelegramHtml })).toEqual([
    { text: '# #', plain: '# #' },
  ])
})

it('shows the sources at the end of an answer, though what refers to them stands in an earlier part', () => {
  const filler = `${'words '.repeat(20)}\n\n`.repeat(4)
  const markdown = `Told [here][1].\n\n${filler}Sources:\n\n[1]: https://a.example/1\n[2]: https://a.example/2\n\n`
  const parts = renderParts(markdown, { maxLength: 400, toText: toMrkdwn })
  expect(parts).toHaveLength(2)
  expect(parts[0]?.text).toContain('Told [here][1].')
  expect(parts[1]?.text).toMatch(
    /Sources:\n\n\[1\]: <https:\/\/a\.example\/1>\n\[2\]: <https:\/\/a\.example\/2>$/,
  )
  expect(parts[1]?.plain).toMatch(
    /Sources:\n\n\[1\]: https:\/\/a\.example\/1\n\[2\]: https:\/\/a\.example\/2$/,
  )
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

it('takes a second of the processor at most for a very long and hostile answer', async () => {
  const render = () => renderParts('**a [b](c '.repeat(5000), { maxLength: 4000, toText: toTelegramHtml })
  expect(await threadCpuMs(render)).toBeLessThan(1000)
})
