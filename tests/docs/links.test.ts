import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { knownScripts } from './code-blocks.ts'

const documents = [
  ...globSync(['*.md', 'docs/**/*.md', '{packages,apps}/*/README.md', '.changeset/README.md'], {
    cwd: workspaceFolder,
  }),
].toSorted()

const read = (document: string) => readFileSync(join(workspaceFolder, document), 'utf8')

/** Headings as anchors, the way GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = withoutCode(text).matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

const withoutCode = (text: string) => text.replaceAll(/^(`{3,})[^]*?^\1$/gm, '')

/** Links to files of the repository, with their anchors. */
function linksOf(text: string): string[] {
  const shown = withoutCode(text)
  return [...shown.matchAll(/\]\(([^)\s]+)\)/g), ...shown.matchAll(/\bsrc(?:set)?="([^"\s]+)"/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
}

/** What is wrong with the links of a document. */
function brokenLinks(document: string, text: string): string[] {
  return linksOf(text).filter((link) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? document : join(dirname(document), path)
    if (!existsSync(join(workspaceFolder, target))) return true
    return anchor !== undefined && !anchorsOf(target === document ? text : read(target)).has(anchor)
  })
}

/** Scripts and files of the repository that a text names and that are not there. */
function unknownNames(text: string, scripts: object): string[] {
  const named = [...text.matchAll(/\bnpm run (?:-s )?([\w-]+)/g)].map(([, script = '']) => script)
  const paths = [...text.matchAll(/`((?:packages|tests|docs|scripts|examples|bench)\/[\w./-]*)`/g)]
  return [
    ...named.filter((script) => !(script in scripts)),
    ...paths.map(([, path = '']) => path).filter((path) => !existsSync(join(workspaceFolder, path))),
  ]
}

/** Folders and files of the tree in AGENTS.md: indentation says what lies in what. */
function treeOf(text: string): string[] {
  const [, tree = ''] = /## The tree\n+```\n([^]*?)```/.exec(text) ?? []
  let parent = ''
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', names = ''] = /^( *)((?:[\w./-]+\/ {0,2})+)/.exec(line) ?? []
    const paths = names.split(/\s+/).filter((name) => name !== '')
    if (indent === '') parent = paths[0] ?? parent
    return paths.map((path) => (indent === '' ? path : join(parent, path)))
  })
}

describe('links between documents', () => {
  it.each(documents)('%s links to what is there', (document) => {
    expect(brokenLinks(document, read(document))).toEqual([])
  })

  it('are noticed when they lead nowhere', () => {
    const text =
      '# One\n[a](#one) [b](#two) [c](README.md) [d](nothing.md) [e](README.md#nothing) [f](https://x.example)'
    expect(brokenLinks('CONTRIBUTING.md', text)).toEqual(['#two', 'nothing.md', 'README.md#nothing'])
  })
})

describe('what documents name', () => {
  const scripts = knownScripts()

  it.each(documents)('%s names scripts and files that there are', (document) => {
    expect(unknownNames(read(document), scripts)).toEqual([])
  })

  it('the tree of AGENTS.md shows folders that there are', () => {
    const tree = treeOf(read('AGENTS.md'))
    expect(tree).toEqual(
      expect.arrayContaining(['packages/contract/', 'docs/decisions/', 'tests/docs/', 'bench/']),
    )
    expect(tree.filter((path) => !existsSync(join(workspaceFolder, path)))).toEqual([])
  })

  it('are noticed when they are not there', () => {
    const text = '`npm run bild` and `npm run build`, `tests/nothing.ts`, `tests/docs/`, `packages/{name}`'
    expect(unknownNames(text, scripts)).toEqual(['bild', 'tests/nothing.ts'])
  })
})

describe('the site', () => {
  it('has every page in its sidebar', () => {
    const config = read('site/.vitepress/config.ts')
    const generated = /^docs\/(?:README|decisions\/(?!README)|reference\/(?:cloud|platform)\/)/
    const pages = documents.filter((document) => document.startsWith('docs/') && !generated.test(document))
    const missing = pages.filter((page) => !config.includes(`'${page.slice('docs/'.length, -'.md'.length)}'`))
    expect(missing).toEqual([])
  })
})
