import { describe, expect, it } from 'vitest'
import { markFormulas, mayHoldFormulas } from './markdown-text.tsx'

describe('formulas in Markdown', () => {
  it('marks formulas within a line, in either form', () => {
    expect(markFormulas('So $E = mc^2$ holds.')).toBe('So $$E = mc^2$$ holds.')
    expect(markFormulas(String.raw`So \( a_1 \) holds.`)).toBe('So $$a_1$$ holds.')
  })

  it('sets displayed formulas by themselves', () => {
    const expected = 'Then\n\n$$\nx^2\n$$\n\n.'
    expect(markFormulas(String.raw`Then\[x^2\].`)).toBe(expected)
    expect(markFormulas('a\n$$x$$\nb')).toContain('\n$$\nx\n$$\n')
  })

  it('leaves prices alone', () => {
    const prices = 'It costs $5 and $10, or US$3 to US$4. Between $1,000 and $2,000.'
    expect(markFormulas(prices)).toBe(prices)
  })

  it('leaves code alone, also a block that is still being written', () => {
    const text = '`$a$` and ``\\(b\\)``\n```sh\necho $HOME $PATH$\n```\n'
    expect(markFormulas(text)).toBe(text)
    expect(markFormulas('```\n$a$')).toBe('```\n$a$')
  })

  it('leaves a formula that is not closed yet as it is', () => {
    expect(markFormulas('So $E = m')).toBe('So $E = m')
    expect(markFormulas(String.raw`So \[E = m`)).toBe(String.raw`So \[E = m`)
  })

  it('needs the library for formulas alone', () => {
    expect(mayHoldFormulas('No formula, and $5.')).toBe(false)
    expect(mayHoldFormulas('$x$')).toBe(true)
  })
})
