import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { threadCpuMs } from '../../../../../tests/thread-cpu-ms.ts'
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

it('shows half a character as a sign for one, and whole ones as they are', () => {
  const parts = renderParts('a \ud83d b 😀', { maxLength: 200, toText: (_blocks, source) => source })
  expect(parts).toEqual([{ text: 'a \ufffd b 😀', plain: 'a \ufffd b 😀' }])
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

describe('an answer of 120 KB that is made to be costly', () => {
  const growing = Array.from({ length: 2000 }, (_, index) => `${'> - '.repeat(index % 20)}a\n`).join('')
  const wide = `|${'a|'.repeat(200)}\n|${'-|'.repeat(200)}\n${'|x\n'.repeat(1000)}`
  const costly = {
    'emphasis that opens and closes': '**a*b ',
    'emphasis in brackets': '[**a',
    'emphasis that never closes': '<*a',
    'emphasis of both kinds': '**_a ',
    'emphasis in emphasis': `${'*a '.repeat(600)}${' a*'.repeat(600)}`,
    'links that do not end': '**a [b](c ',
    'quotes and lists in one another': growing,
    'a table that is mostly missing': wide,
  }
  for (const [name, unit] of Object.entries(costly)) {
    it(`is there in a moment, with every letter: ${name}`, async () => {
      const answer = unit.repeat(Math.ceil(120_000 / unit.length))
      let shown = ''
      const cpuMs = await threadCpuMs(() => {
        const parts = renderParts(answer, { maxLength: 4000, toText: toTelegramHtml })
        shown = parts.map(({ plain }) => plain).join('')
      })
      // some tenths of a second; without a bound it was 10 to 40 seconds
      expect(cpuMs).toBeLessThan(5000)
      expect(lettersOf(shown)).toBe(lettersOf(answer))
    })
  }
})

it('keeps the format of what stands beside a costly paragraph', () => {
  const answer = `A **bold** start.\n\n${'[**a'.repeat(500)}\n\nA **bold** end.`
  const [part] = renderParts(answer, { maxLength: 4000, toText: toTelegramHtml })
  expect(part?.text).toMatch(/^A <b>bold<\/b> start\.\n\n\[\*\*a[^]*\n\nA <b>bold<\/b> end\.$/)
})

it('shows addresses behind a link that was too costly to read', () => {
  const answer = `[${'**_a '.repeat(500)}](https://a.example)\n\nSee https://b.example/x`
  const parts = renderParts(answer, { maxLength: 4000, toText: toTelegramHtml })
  expect(parts.at(-1)?.text).toContain('<a href="https://b.example/x">')
})

it('formats what is long and full of marks, but ordinary', () => {
  const paragraph = `${'Some **bold**, *italic*, `code_of_one`, my_file_name and a [link](https://a.example). '.repeat(8)}\n\n`
  const parts = renderParts(paragraph.repeat(180), { maxLength: 4000, toText: toTelegramHtml })
  const text = parts.map((part) => part.text).join('')
  expect(text).not.toContain('**')
  expect(text.match(/<b>bold<\/b>/g)).toHaveLength(8 * 180)
})

const lettersOf = (text: string): string => text.replaceAll(/[^a-z]/g, '')
