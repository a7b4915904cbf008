import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { libraryPackages } from '../../scripts/workspace-packages.ts'
import { withoutComment } from './public-comments.ts'

it('every public name is explained where it is declared', { timeout: 60_000 }, () => {
  expect(withoutComment(libraryPackages())).toEqual([])
})

it('a name, an option and a method without a comment are noticed', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-comments-'))
  const source = [
    '/** Explained. */\nexport const known = 1',
    'export const unknown = 2',
    '/** Explained. */\nexport function createThing() {}',
    '/** Explained. */\nexport interface SomeOptions { readonly size: number\n/** Explained. */ readonly name: string }',
    '/** Explained. */\nexport interface Thing { readonly plain: number\n/** Explained. */ stop(): void\nstart(): void }',
  ]
  try {
    await writeFile(join(folder, 'index.ts'), source.join('\n'))
    const entries = [{ specifier: 'example', source: 'index.ts', output: 'index.js' }]
    expect(withoutComment([{ folder, entries }])).toEqual([
      'example: createThing, without an example',
      'example: unknown',
      'example: SomeOptions.size',
      'example: Thing.start',
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
