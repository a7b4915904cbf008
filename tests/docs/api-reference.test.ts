import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { apiPages } from '../../scripts/reference/api-pages.ts'

const source = `
/** Options of {@link createThing}. */
export interface ThingOptions {
  /** Number of parts. @default 3 */
  readonly parts?: number
}

/**
 * Makes a thing (A12). It has parts.
 *
 * @param options - what it is made of
 * @throws {RangeError} if there are no parts.
 * @example createThing({ parts: 2 })
 */
export function createThing(options: ThingOptions = {}): string {
  return 'x'.repeat(options.parts ?? 3)
}

/** How many parts there can be. */
export const maxParts: number = 7
`

it('a page explains each exported name with its signature, parameters, defaults, errors and example', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-api-'))
  try {
    await writeFile(join(folder, 'index.ts'), source)
    const entries = [{ specifier: '@homeward/example', source: 'index.ts', output: 'index.js' }]
    const [page] = apiPages([{ folder, entries }])
    expect(page).toMatchObject({ file: 'example.md', names: 3 })
    const text = page?.text ?? ''
    expect(text).toContain('| [`createThing`](#creatething) | Makes a thing. |')
    expect(text).toContain('function createThing(options: ThingOptions = {}): string')
    expect(text).not.toContain('repeat')
    expect(text).toContain('| `options` | what it is made of |')
    expect(text).toContain('**Throws:** `RangeError` if there are no parts.')
    expect(text).toContain('createThing({ parts: 2 })')
    expect(text).toContain('Options of [`createThing`](#creatething).')
    expect(text).toContain('| `parts?` | Number of parts. Default: `3`. |')
    expect(text).toContain('const maxParts: number')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
