import { describe, expect, it } from 'vitest'
import { readManifest } from './skill-manifest.ts'

const fromMarkdown = (markdown: string) => readManifest({ markdown, yaml: undefined })
const fromYaml = (yaml: string) => readManifest({ markdown: undefined, yaml })

describe('A15: where the manifest is', () => {
  it('front matter counts first, then a fenced block, then skill.yaml', () => {
    const yaml = 'name: from-yaml\ndescription: d'
    const front = '---\nname: from-front\ndescription: d\n---\nBody'
    const fenced = '# T\n```yaml\nname: from-fence\ndescription: d\n```\nBody'
    expect(readManifest({ markdown: front, yaml }).name).toBe('from-front')
    expect(readManifest({ markdown: fenced, yaml }).name).toBe('from-fence')
    expect(readManifest({ markdown: '# Only instructions', yaml })).toMatchObject({
      name: 'from-yaml',
      instructions: '# Only instructions',
    })
  })
})

describe('A15: what is accepted', () => {
  it('takes a skill published elsewhere as it is', () => {
    const manifest = fromMarkdown(
      [
        '---',
        'name: pdf-processing',
        'description: >-',
        '  Extracts text and tables from PDF files, fills forms, merges documents. Use when the user mentions PDFs.',
        'license: Apache-2.0',
        'compatibility: Requires python3',
        'allowed-tools: Bash(python3:*) Read',
        'metadata:',
        '  author: example-org',
        '  version: "1.0"',
        '---',
        '',
        '# PDF processing',
      ].join('\n'),
    )
    expect(manifest).toMatchObject({ name: 'pdf-processing', version: '1.0', requiredEnv: [] })
    expect(manifest.metadata).toEqual({ author: 'example-org', version: '1.0' })
    expect(manifest.instructions).toBe('# PDF processing')
  })

  it('takes long texts and numbers where text is meant', () => {
    const description = 'x'.repeat(5000)
    expect(fromYaml(`name: 7\ndescription: ${description}\nversion: 1.5`)).toMatchObject({
      name: '7',
      version: '1.5',
    })
  })

  it.each([
    ['credentials: [A_KEY, B_KEY]', ['A_KEY', 'B_KEY']],
    ['credentials: A_KEY', ['A_KEY']],
    ['credentials: [{ name: A_KEY, description: d }, { env: B_KEY }]', ['A_KEY', 'B_KEY']],
    ['credentials: { A_KEY: the key }', ['A_KEY']],
    ['metadata: { required_env: [A_KEY] }', ['A_KEY']],
    ['credentials: [A_KEY]\nmetadata: { required_env: [A_KEY, C] }', ['A_KEY', 'C']],
    ['metadata: text', []],
  ])('reads the environment names of %j', (yaml, names) => {
    expect(fromYaml(`name: a\ndescription: d\n${yaml}`).requiredEnv).toEqual(names)
  })
})

describe('A15: what is refused, with the reason', () => {
  it.each([
    ['description: d', '"name" is missing'],
    ['name: a', '"description" is missing'],
    ['name: ""\ndescription: d', '"name" is missing, empty'],
    ['name: a\ndescription: [x]', '"description"'],
    ['- a', 'must be a mapping'],
    ['', 'must be a mapping'],
    ['name: a\ndescription: d\ncredentials: ["A KEY"]', 'environment variable'],
    ['name: a: b', 'skill.yaml'],
  ])('%j', (yaml, reason) => {
    expect(() => fromYaml(yaml)).toThrow(reason)
  })

  it('nothing at all', () => {
    expect(() => readManifest({ markdown: undefined, yaml: undefined })).toThrow('the file is missing')
    expect(() => fromMarkdown('# Text')).toThrow('has no YAML front matter')
  })
})
