import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunkMarkdown, splitMarkdown } from './chunk-markdown.ts'
import { nextFence } from './fence-state.ts'
import type { OpenFence } from './fence-state.ts'

const withoutSpace = (text: string) => text.replaceAll(/\s/g, '')

function isBalanced(chunk: string): boolean {
  let fence: OpenFence | undefined
  for (const line of chunk.split('\n')) fence = nextFence(line, fence)
  return fence === undefined
}

/** Whether a pair of surrogates that the source holds was cut in two. */
function hasBrokenPair(chunks: readonly string[]): boolean {
  return chunks.some((chunk) => /^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/.test(chunk))
}

/** Markdown as agents write it, and what they never should. */
const markdown = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300, size: 'max' }),
      fc.lorem({ mode: 'sentences', maxCount: 12, size: 'max' }),
      fc.constantFrom(
        '\n',
        '\n\n',
        '\r\n',
        '   ',
        '```',
        '```ts\n',
        '~~~~\n',
        '> ```\n> a',
        '- ```py\n',
        '# A\n',
        '[1]: https://a.example/first\n',
        '[a b]: <https://b.example> "Title"\n',
        '| a | b |\n|---|---|\n',
        '| one | two |\n'.repeat(20),
        '🚀',
        '👩‍👩‍👧‍👦',
      ),
      fc
        .array(fc.string({ maxLength: 90, size: 'max' }), { maxLength: 30, size: 'max' })
        .map((lines) => `\`\`\`js\n${lines.join('\n')}\n\`\`\`\n`),
      fc
        .constantFrom('`', '\n', ' ', 'é', 'a', '~', '>')
        .chain((unit) => fc.nat(600).map((count) => unit.repeat(count))),
    ),
    { maxLength: 12, size: 'max' },
  )
  .map((parts) => parts.join(''))
const maxLength = fc.integer({ min: 128, max: 700 })

describe('laws', () => {
  it('keeps all of the text, in order, but for white space at the cuts', () => {
    fc.assert(
      fc.property(markdown, maxLength, (source, limit) => {
        const pieces = splitMarkdown(source, { maxLength: limit })
        expect(withoutSpace(pieces.map((piece) => piece.text).join(''))).toBe(withoutSpace(source))
      }),
      { numRuns: 200 },
    )
  })

  it('gives only chunks within the limit, whatever is measured', () => {
    const escaped = (text: string) => text.replaceAll(/[&<>`]/g, '&amp;').length
    fc.assert(
      fc.property(markdown, maxLength, fc.boolean(), (source, limit, isEscaped) => {
        const measure = isEscaped ? escaped : (text: string) => text.length
        for (const chunk of chunkMarkdown(source, { maxLength: limit, measure })) {
          expect(measure(chunk)).toBeLessThanOrEqual(limit)
          expect(chunk.trim()).not.toBe('')
        }
      }),
      { numRuns: 200 },
    )
  })

  it('closes every block of code that it leaves, and opens it anew', () => {
    fc.assert(
      fc.property(markdown, maxLength, (source, limit) => {
        const pieces = splitMarkdown(source, { maxLength: limit })
        for (const { opening, text, closing } of pieces)
          expect(isBalanced(opening + text + closing)).toBe(true)
        for (const [index, piece] of pieces.entries()) {
          if (piece.opening) expect(pieces[index - 1]?.closing).not.toBe('')
        }
      }),
      { numRuns: 200 },
    )
  })

  it('never cuts a surrogate pair in two', () => {
    const emoji = fc.array(fc.constantFrom('🚀', '👍🏽', '𝒳', 'a'), { maxLength: 900, size: 'max' })
    fc.assert(
      fc.property(emoji, maxLength, (signs, limit) => {
        expect(hasBrokenPair(chunkMarkdown(signs.join(''), { maxLength: limit }))).toBe(false)
      }),
    )
  })

  it('gives a text that fits back as it is, without the white space around it', () => {
    fc.assert(
      fc.property(fc.lorem({ mode: 'sentences' }), (text) => {
        expect(chunkMarkdown(`\n\n${text}\n `, { maxLength: 4000 })).toEqual([text])
      }),
    )
  })
})

describe('where it cuts', () => {
  const words = (count: number) => `${'word '.repeat(count).trim()}.`

  it('between paragraphs, where that wastes less than half of the room', () => {
    const [first, second] = [words(30), words(20)]
    expect(chunkMarkdown(`${first}\n\n${second}`, { maxLength: 200 })).toEqual([first, second])
  })

  it('between lines, when a paragraph is too long', () => {
    const lines = ['a'.repeat(90), 'b'.repeat(90), 'c'.repeat(90)]
    expect(chunkMarkdown(lines.join('\n'), { maxLength: 200 })).toEqual([
      `${lines[0]}\n${lines[1]}`,
      lines[2],
    ])
  })

  it('between sentences, then between words, then anywhere', () => {
    const sentences = `${words(16)} ${words(16)} ${words(16)}`
    expect(chunkMarkdown(sentences, { maxLength: 200 })).toEqual([`${words(16)} ${words(16)}`, words(16)])
    const cut = chunkMarkdown('word '.repeat(60), { maxLength: 200 })
    expect(cut.every((chunk) => /^(?:word ?)+$/.test(chunk))).toBe(true)
    expect(chunkMarkdown('x'.repeat(300), { maxLength: 200 })).toEqual(['x'.repeat(200), 'x'.repeat(100)])
  })

  it('behind the full stop of a language without spaces', () => {
    const sentence = `${'字'.repeat(140)}。`
    expect(chunkMarkdown(sentence + sentence, { maxLength: 200 })).toEqual([sentence, sentence])
  })

  it('before a block of code that fits whole into the next chunk', () => {
    const code = `\`\`\`sh\n${'echo 1\n'.repeat(20)}\`\`\``
    expect(chunkMarkdown(`Do this:\n${code}\n\nDone.`, { maxLength: 157 })).toEqual([
      'Do this:',
      `${code}\n\nDone.`,
    ])
  })

  it('inside of a longer one between lines, and opens it anew with its language', () => {
    const line = '    indented line of code'
    const source = `\`\`\`ts title="a"\n${`${line}\n`.repeat(12)}\`\`\``
    const chunks = chunkMarkdown(source, { maxLength: 200 })
    expect(chunks).toHaveLength(2)
    expect(chunks[0]).toBe(`\`\`\`ts title="a"\n${`${line}\n`.repeat(6)}\`\`\``)
    expect(chunks[1]).toBe(`\`\`\`ts\n${`${line}\n`.repeat(6)}\`\`\``)
  })

  it('inside of one in a list or in a quote, and keeps what stands before its marks', () => {
    const inList = `1. Run:\n   \`\`\`sh\n${'   echo one two three\n'.repeat(12)}   \`\`\``
    expect(chunkMarkdown(inList, { maxLength: 200 })[1]).toMatch(/^ {3}```sh\n {3}echo/)
    const inQuote = `> \`\`\`\n${'> echo one two three\n'.repeat(12)}> \`\`\``
    expect(chunkMarkdown(inQuote, { maxLength: 200 })[1]).toMatch(/^> ```\n> echo/)
  })

  it('inside of a long table between rows, and begins the next chunk with the head', () => {
    const head = '| Shop | Opens |\n|---|---|\n'
    const rows = '| Books and more | at eight |\n'.repeat(12)
    const chunks = chunkMarkdown(`Shops:\n\n${head}${rows}\nThat is | all.`, { maxLength: 200 })
    expect(chunks.map((chunk) => chunk.includes(head))).toEqual([true, true, true])
    expect(chunks.join('').match(/Books/g)).toHaveLength(12)
    expect(chunks.at(-1)).toMatch(/at eight \|\n\nThat is \| all\.$/)
  })

  it('before a paragraph behind a table without repeating the head, and never repeats a long one', () => {
    const table = `| Shop |\n|---|\n${'| Books |\n'.repeat(14)}`
    expect(chunkMarkdown(`${table}\nall | gone ${'x'.repeat(90)}`, { maxLength: 170 })[1]).toMatch(/^all/)
    const wide = `| ${'x'.repeat(60)} |\n|---|\n${'| Books |\n'.repeat(30)}`
    expect(chunkMarkdown(wide, { maxLength: 200 })[1]).toMatch(/^\| Books/)
  })

  it('not between an emoji and what belongs to it', () => {
    const family = '👩‍👩‍👧‍👦'
    const chunks = chunkMarkdown(`${'x'.repeat(120)}${family.repeat(3)}`, { maxLength: 128 })
    expect(chunks.map((chunk) => chunk.length % 11)).toEqual([120 % 11, 0])
  })

  it('refuses a limit into which nothing sensible fits', () => {
    expect(() => chunkMarkdown('a', { maxLength: 20 })).toThrow('"maxLength" must be at least 128, got 20')
    expect(() => chunkMarkdown('a', { maxLength: Number.NaN })).toThrow(RangeError)
  })

  it('gives nothing for nothing', () => {
    expect(chunkMarkdown(' \n\t\n', { maxLength: 200 })).toEqual([])
  })
})

describe('time', () => {
  const hostile: Record<string, string> = {
    'one endless line': 'x',
    'one endless line of spaces': ' ',
    'line breaks only': '\n',
    backticks: '`',
    'fences without an end': '```\n',
    'openers that close nothing': '```a\n~~~\n',
    'marks of quotes': '>',
    'one endless accent': '\u0301',
    'entries of lists': '1. ',
  }
  for (const [name, unit] of Object.entries(hostile)) {
    it(`is a fraction of a second for a million characters: ${name}`, { timeout: 60_000 }, () => {
      const text = unit.repeat(1_600_000 / unit.length)
      const began = performance.now()
      chunkMarkdown(text, { maxLength: 2000 })
      // far more than it takes; what looks at the whole rest for every chunk takes half a minute
      expect(performance.now() - began).toBeLessThan(8000)
    })
  }
})
