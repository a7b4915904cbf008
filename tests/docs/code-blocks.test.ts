import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPackages, type BuiltPackages } from '../built-packages.ts'
import { runtimes } from '../runtimes/install-runtimes.ts'
import { type CodeBlock, codeBlocksOf, documentedCode, knownScripts } from './code-blocks.ts'
import { compileBlocks } from './compile-blocks.ts'
import { parseBlocks } from './parse-blocks.ts'
import { runBlock } from './run-block.ts'
import { runShell } from './run-shell.ts'
import { startTrialServer, type TrialServer } from './trial-server.ts'

const blocks = documentedCode()
const typescript = blocks.filter(({ language }) => language === 'ts')
const shell = blocks.filter(({ language, mode }) => language === 'sh' && mode !== 'no-run')
const withCurl = Map.groupBy(
  shell.filter(({ code }) => /\bcurl\b/.test(code)),
  ({ document }) => document,
)
const limit = { timeout: 180_000 }

let packages: BuiltPackages
beforeAll(async () => {
  packages = await buildPackages()
})
afterAll(() => packages[Symbol.asyncDispose]())

const blockOf = (code: string, mode: CodeBlock['mode'] = 'run'): CodeBlock => {
  return { document: 'docs/example.md', language: 'ts', line: 10, code, mode, reason: '' }
}
const fenced = (opening: string, ...code: string[]) =>
  ['Text', `\`\`\`${opening}`, ...code, '```', ''].join('\n')

describe('codeBlocksOf', () => {
  it('finds TypeScript and shell commands and knows where they stand', () => {
    const text = `${fenced('json', '{}')}${fenced('sh', 'curl x')}${fenced('ts', 'const a = 1', 'const b = a')}`
    expect(codeBlocksOf('a.md', text)).toEqual([
      { document: 'a.md', language: 'sh', line: 7, code: 'curl x\n', mode: 'run', reason: '' },
      {
        document: 'a.md',
        language: 'ts',
        line: 11,
        code: 'const a = 1\nconst b = a\n',
        mode: 'run',
        reason: '',
      },
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
    expect(codeBlocksOf('a.md', fenced('ts no-run', '// not run: it needs a bucket'))).toMatchObject([
      { mode: 'no-run', reason: 'it needs a bucket' },
    ])
    expect(codeBlocksOf('a.md', fenced('sh no-run', '# not run: it needs a network'))).toMatchObject([
      { mode: 'no-run', reason: 'it needs a network' },
    ])
  })

  it('refuses a block that is not run without a reason, one with an unknown mark, and one without an end', () => {
    expect(() => codeBlocksOf('a.md', fenced('ts no-run', 'start()'))).toThrow(
      'a.md:3: say why it is not run',
    )
    expect(() => codeBlocksOf('a.md', fenced('ts skip', 'start()'))).toThrow(
      'a.md:2: "skip" means nothing here',
    )
    expect(() => codeBlocksOf('a.md', fenced('sh until-stopped', 'a'))).toThrow(
      'a.md:2: "until-stopped" means',
    )
    expect(() => codeBlocksOf('a.md', '```ts\nstart()\n')).toThrow('a.md:1: the block does not end')
  })
})

describe('what runs a block', () => {
  it.concurrent('notices a block that throws', limit, async ({ signal, expect: expectHere }) => {
    const code =
      "import { HttpError } from '@homeward/contract/handler'\nthrow new HttpError(418, { error: 'Tea' })\n"
    const { exitCode, output } = await runBlock(blockOf(code), packages, {}, signal)
    expectHere([exitCode, output]).toEqual([1, expect.stringContaining('Tea')])
  })

  it.concurrent(
    'notices a server that does not stop when it is asked to',
    limit,
    async ({ signal, expect: expectHere }) => {
      const code =
        "process.on('SIGTERM', () => process.exit(3))\nconsole.log('here')\nsetInterval(() => {}, 1000)\n"
      const { exitCode } = await runBlock(blockOf(code, 'until-stopped'), packages, {}, signal)
      expectHere(exitCode).toBe(3)
    },
  )

  it.concurrent(
    'notices a server that is neither a device cloud nor an agent platform',
    limit,
    async ({ signal, expect: expectHere }) => {
      const code = [
        "import { createServer } from 'node:http'",
        "const server = createServer((_, response) => response.end('hello'))",
        "server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))",
        "process.on('SIGTERM', () => process.exit())",
      ]
      const run = runBlock(blockOf(`${code.join('\n')}\n`, 'until-stopped'), packages, {}, signal)
      await expectHere(run).rejects.toThrow('answered 200 instead')
    },
  )
})

describe('the TypeScript in the docs', () => {
  it('needs no syntax that Node 22 does not have', { timeout: 300_000 }, async () => {
    const [node22] = runtimes.filter(({ name }) => name === 'Node 22')
    if (!node22) throw new Error('Node 22 is no runtime of the tests')
    const wrong = blockOf('await using file: AsyncDisposable = open()\n')
    expect(await parseBlocks([...typescript, wrong], node22)).toEqual([
      expect.stringMatching(/^docs\/example\.md:10 SyntaxError/),
    ])
  })

  it('compiles, all of it', limit, () => {
    const wrong = blockOf(
      "import { toOpenApi } from '@homeward/contract/openapi'\n\nconst n: number = toOpenApi\n",
    )
    const right = {
      ...blockOf("import type { Operation } from '@homeward/contract'\nlet o: Operation | undefined\n"),
      line: 20,
    }
    const errors = compileBlocks([...typescript, wrong, right])
    // the wrong one proves that errors are found, in their place
    expect(errors.filter((error) => error.startsWith('docs/example.md'))).toEqual([
      expect.stringMatching(/^docs\/example\.md:12 Type .* is not assignable to type 'number'/),
    ])
    expect(errors.filter((error) => !error.startsWith('docs/example.md'))).toEqual([])
  })
})

describe('with the reference server', () => {
  let server: TrialServer
  beforeAll(async () => {
    server = await startTrialServer()
  })
  afterAll(async () => {
    const { exitCode, output } = await server.stop()
    expect(exitCode, output).toBe(0)
  })

  /** What the docs tell their reader to have in the environment, with a port that is free. */
  const environment = async (block: string) => ({
    CLOUD_URL: server.url,
    DEVICE_API_KEY: await server.register(block),
    PORT: '0',
    CLOUD_PORT: '0',
  })

  for (const block of typescript.filter(({ mode }) => mode !== 'no-run')) {
    const name = `${block.document}:${block.line}`
    it.concurrent(`runs: ${name}`, limit, async ({ signal, expect: expectHere }) => {
      const { exitCode, output } = await runBlock(block, packages, await environment(name), signal)
      expectHere(exitCode, output).toBe(0)
    })
  }

  for (const [document, commands] of withCurl) {
    it.concurrent(`runs the commands of ${document}`, limit, async ({ signal, expect: expectHere }) => {
      const { exitCode, output } = await runShell(commands, server, {}, signal)
      expectHere(exitCode, output).toBe(0)
    })
  }

  it('has no id that two documents create', () => {
    const created = [...withCurl].flatMap(([document, commands]) => {
      const code = commands.map((block) => block.code).join('\n')
      // the body of a POST to the list itself: a path that goes on names what is there already
      const ids = code.matchAll(/\/api\/(agents|collections|graphs|teams)['" \n][^|]*?"id": ?"([^"]+)"/g)
      return [...new Set([...ids].map(([, kind, id]) => `${kind} ${id}`))].map(
        (id) => [id, document] as const,
      )
    })
    const documents = Map.groupBy(created, ([id]) => id)
    expect(documents.size).toBeGreaterThan(10)
    expect([...documents.values()].filter((places) => places.length > 1)).toEqual([])
  })

  it.concurrent('runs the lines that it prints', limit, async ({ signal, expect: expectHere }) => {
    const lines = server.curlLines.map((code, index) => ({ document: 'printed', line: index + 1, code }))
    const { exitCode, output } = await runShell(lines, server, {}, signal)
    expectHere([lines.length, exitCode], output).toEqual([7, 0])
  })

  it.concurrent(
    'notices a request that is answered with an error',
    limit,
    async ({ signal, expect: expectHere }) => {
      const broken = {
        document: 'docs/example.md',
        line: 7,
        code: 'curl -s http://127.0.0.1:3000/api/devics\necho after',
      }
      const { exitCode, output } = await runShell([broken], server, {}, signal)
      expectHere([exitCode, output]).toEqual([22, '-- docs/example.md:7\n{"error":"Not found"}'])
    },
  )
})

describe('what is not run', () => {
  for (const { document, line, reason } of blocks.filter(({ mode }) => mode === 'no-run')) {
    it(`${document}:${line}: ${reason}`, () => expect(reason).not.toBe(''))
  }

  it('names only scripts and files that there are', () => {
    const scripts = knownScripts()
    const named = blocks
      .filter(({ language }) => language === 'sh')
      .flatMap(({ document, line, code }) =>
        [...code.matchAll(/\bnpm (?:run (\S+)|(start|test)\b)/g)].map(([, script, short]) => {
          return { where: `${document}:${line}`, script: script ?? short ?? '' }
        }),
      )
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter(({ script }) => !(script in scripts))).toEqual([])
  })
})
