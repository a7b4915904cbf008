import { expect, it } from 'vitest'
import { isLightMarkdown } from './is-light-markdown.ts'

const code = `const table = { a: [1, 2], b_c: [3] } // *\n`

it('takes what people write', () => {
  for (const text of [
    `# A\n\n- b\n  - c\n\n> > 1. d\n\n${'-'.repeat(200)}`,
    'x'.repeat(30_000),
    '- **name**: `value`, and [more](https://a.example)\n'.repeat(500),
    '| _a_ | `b` |\n'.repeat(400),
    `Some code:\n\n\`\`\`js\n${code.repeat(500)}\`\`\`\n\nand *more*`,
    `Code that is still being written:\n\`\`\`\n${code.repeat(500)}`,
  ]) {
    expect(isLightMarkdown(text), text.slice(0, 40)).toBe(true)
  }
})

it('takes no text that would hold the page up', () => {
  for (const text of [
    'x'.repeat(30_001),
    ...['- ', '>', '> ', '* ', '1. ', '23) ', '\t+ '].map((nested) => `A\n\n${nested.repeat(300)}x`),
    ...['*a ', '_a ', '~a ', '**a\n', '> *a\n', '|*a\n', '    - *a\n', '['].map((part) => part.repeat(3000)),
    `\`\`\`\nx\n\`\`\`\n${'*a '.repeat(3000)}`,
    `\`\`\` \`\n${'*a '.repeat(3000)}`,
  ]) {
    expect(isLightMarkdown(text), text.slice(0, 40)).toBe(false)
  }
})

it('answers at once, whatever the text', () => {
  const startedAt = performance.now()
  const parts = [
    '- ',
    '\t',
    ' - \n',
    '1',
    '1. \n'.padEnd(90),
    `${'>'.repeat(39)}\n`,
    '```\n',
    '````\n```\n',
    '`',
    '\n ',
  ]
  for (const part of parts) isLightMarkdown(part.repeat(Math.floor(30_000 / part.length)))
  expect(performance.now() - startedAt).toBeLessThan(5000)
})
