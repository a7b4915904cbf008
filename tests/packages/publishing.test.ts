import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { originOf, withAbsoluteLinks } from '../../scripts/packs/publishing.ts'

const none = { repository: '', homepage: '', keywords: ['agents'] }
const stated = { ...none, repository: 'https://git.example/ann/homeward' }

describe('what manifests say of their origin', () => {
  it('comes from the one setting', () => {
    expect(originOf(stated, 'packages/kit')).toEqual({
      repository: { type: 'git', url: 'git+https://git.example/ann/homeward.git', directory: 'packages/kit' },
      bugs: { url: 'https://git.example/ann/homeward/issues' },
      homepage: 'https://git.example/ann/homeward/tree/HEAD/packages/kit#readme',
      keywords: ['agents'],
    })
    const site = { ...stated, homepage: 'https://homeward.example' }
    expect(originOf(site, 'packages/kit')).toMatchObject({ homepage: 'https://homeward.example' })
  })

  it('is left out while there is no repository', () => {
    expect(originOf(none, 'packages/kit')).toEqual({ keywords: ['agents'] })
  })
})

describe('links of a README', () => {
  const readme = 'See [docs](../../docs/README.md#start), [npm](https://npm.example) and [below](#below).'

  it('lead into the repository, and others stay', () => {
    expect(withAbsoluteLinks(readme, stated, 'packages/kit')).toBe(
      'See [docs](https://git.example/ann/homeward/blob/HEAD/docs/README.md#start), [npm](https://npm.example) and [below](#below).',
    )
  })

  it('become text while there is no repository', () => {
    expect(withAbsoluteLinks(readme, none, 'packages/kit')).toBe(
      'See docs, [npm](https://npm.example) and [below](#below).',
    )
  })
})

it("SECURITY.md leads to the one setting, and names no address that could be somebody else's", async () => {
  const text = await readFile(new URL('../../SECURITY.md', import.meta.url), 'utf8')
  expect(text).toContain('publishing.repository')
  expect(text).not.toMatch(/[\w.-]+@[\w-]+\.\w+/)
})
