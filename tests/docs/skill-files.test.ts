import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RegistryEntry } from '@homeward/contract/skill-store'
import { parseSkillYaml } from '@homeward/skill-store-client'
import { describe, expect, it } from 'vitest'
import { createConfigCheck } from '../../packages/agent-runtime/src/skills/config/config-check.ts'
import { parseToolDefinitions } from '../../packages/agent-runtime/src/skills/definitions/parse-tool-definitions.ts'
import { readManifest } from '../../packages/agent-runtime/src/skills/skill-manifest.ts'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

const page = readFileSync(join(workspaceFolder, 'docs/getting-started/skill-author.md'), 'utf8')

/** Texts of the page's blocks that open with a language. */
function blocksOf(language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  )
}

describe('the files of skills in the docs', () => {
  it('manifests are read, with their instructions', () => {
    const manifests = blocksOf('md').map((markdown) => readManifest({ markdown, yaml: undefined }))
    expect(manifests).toMatchObject([{ name: 'air-quality', instructions: expect.stringContaining('µg/m³') }])
  })

  it('tools are read, each with what it is said to be', () => {
    const tools = blocksOf('yaml').flatMap((text) => parseToolDefinitions(parseSkillYaml(text, 'tools.yaml')))
    expect(tools.map(({ id, type, effects }) => [id, type, effects])).toEqual([
      ['air_quality_now', 'http', 'read'],
      ['light_switch', 'http', 'external'],
      ['line_count', 'exec', 'read'],
    ])
  })

  it('schemas of configs and registries hold what they say', async () => {
    const [schema, registry, ...others] = blocksOf('json').map((text) => JSON.parse(text))
    expect(others).toEqual([])
    const checkConfig = createConfigCheck()
    await checkConfig(schema, { home_token: 'x', base: 'http://192.168.1.20:8123' })
    await expect(checkConfig(schema, { base: 'http://192.168.1.20:8123' })).rejects.toThrow('home_token')
    expect(registry.skills.map((entry: unknown) => RegistryEntry.safeParse(entry).success)).toEqual([true])
  })
})
