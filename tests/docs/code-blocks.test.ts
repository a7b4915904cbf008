import { describe, expect, it } from 'vitest'
import { type CodeBlock, codeBlocksOf, documentedCode } from './code-blocks.ts'
import { compileBlocks } from './compile-blocks.ts'
import { runBlock } from './run-block.ts'

const blocks = documentedCode()
const blockOf = (code: string): CodeBlock => ({ document: 'docs/example.md', line: 10, code, runs: true })
const fenced = (language: string, ...code: string[]) =>
  ['Text', `\`\`\`${language}`, ...code, '```', ''].join('\n')

describe('codeBlocksOf', () => {
  it('finds TypeScript and knows where it stands', () => {
    const text = `${fenced('sh', 'curl x')}${fenced('ts', 'const a = 1', 'const b = a')}`
    expect(codeBlocksOf('a.md', text)).toEqual([
      { document: 'a.md', line: 7, code: 'const a = 1\nconst b = a\n', runs: true },
    ])
  })

  it('takes the indentation of a list item away', () => {
    expect(codeBlocksOf('a.md', '1. Do\n   ```ts\n   if (a)\n     b()\n   ```\n')[0]?.code).toBe(
      'if (a)\n  b()\n',
    )
  })

  it('does not take a block inside a block for one', () => {
    expect(codeBlocksOf('a.md', '````md\n```ts\nnot code\n```\n````\n')).toEqual([])
  })

  it('leaves a block alone that says why it is not run', () => {
    expect(codeBlocksOf('a.md', fenced('ts no-run', '// not run: it needs a bucket'))[0]?.runs).toBe(false)
  })

  it('refuses a block that is not run without a reason, one with an unknown mark, and one without an end', () => {
    expect(() => codeBlocksOf('a.md', fenced('ts no-run', 'start()'))).toThrow(
      'a.md:3: say why it is not run',
    )
    expect(() => codeBlocksOf('a.md', fenced('ts skip', 'start()'))).toThrow(
      'a.md:2: "skip" means nothing here',
    )
    expect(() => codeBlocksOf('a.md', '```ts\nstart()\n')).toThrow('a.md:1: the block does not end')
  })
})

describe('the code in the docs', () => {
  it('compiles, all of it', { timeout: 60_000 }, () => {
    const wrong = blockOf(
      "import { toOpenApi } from '@homeward/contract/openapi'\n\nconst n: number = toOpenApi\n",
    )
    const right = {
      ...blockOf("import type { Operation } from '@homeward/contract'\nlet o: Operation | undefined\n"),
      line: 20,
    }
    const errors = compileBlocks([...blocks, wrong, right])
    // the wrong one proves that errors are found, in their place
    expect(errors.filter((error) => error.startsWith('docs/example.md'))).toEqual([
      expect.stringMatching(/^docs\/example\.md:12 Type .* is not assignable to type 'number'/),
    ])
    expect(errors.filter((error) => !error.startsWith('docs/example.md'))).toEqual([])
  })

  it.concurrent('notices a block that fails', { timeout: 60_000 }, async ({ signal, expect: expectHere }) => {
    const failing = blockOf(
      "import { HttpError } from '@homeward/contract/handler'\nthrow new HttpError(418, { error: 'Tea' })\n",
    )
    const { exitCode, output } = await runBlock({ ...failing, document: 'example.md' }, signal)
    expectHere([exitCode, output]).toEqual([1, expect.stringContaining('Tea')])
  })

  for (const block of blocks.filter(({ runs }) => runs)) {
    it.concurrent(
      `runs: ${block.document}:${block.line}`,
      { timeout: 60_000 },
      async ({ signal, expect: expectHere }) => {
        const { exitCode, output } = await runBlock(block, signal)
        expectHere(exitCode, output).toBe(0)
      },
    )
  }
})
