import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildPackages, type BuiltPackages } from '../built-packages.ts'

const root = join(import.meta.dirname, '../..')
const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const client = `"${process.execPath}" --no-warnings suite-client.mjs`

/** Protocol versions: a scenario of both is judged in the newest. */
const versions = ['2026-07-28', '2025-11-25', '2025-06-18'] as const

/** Scenarios that are not run, and why. */
const outOfScope: Readonly<Record<string, string>> = {
  'auth/2025-03-26-oauth-metadata-backcompat':
    'an authorization of a protocol that no client package has had since 2025-06',
  'auth/2025-03-26-oauth-endpoint-fallback': 'as above',
  'auth/client-credentials-jwt': 'an extension: programs prove themselves with a secret here',
  'auth/enterprise-managed-authorization':
    'an extension: there is no identity provider of an enterprise here',
  'auth/dpop': 'an extension: tokens are bearer tokens',
  'auth/dpop-nonce': 'as above',
  'auth/wif-jwt-bearer': 'an extension: there is no identity of a workload here',
  'elicitation-sep1034-client-defaults':
    'its five checks pass, but a call of an older server that asks is cancelled and made again, which the suite counts as an error',
  'http-custom-headers':
    'arguments are not repeated in headers: gateways that route by them are not supported',
  'http-invalid-tool-headers': 'as above',
  'json-schema-2020-12-preservation':
    'the model gets the schema, and the suite asks the client to send it back',
  'sep-2640-client-no-prefetch': 'an extension: skills come from stores',
  'sep-2640-client-verify-digest': 'as above',
  'sep-2640-client-verify-size': 'as above',
  'sep-2640-client-verify-frontmatter': 'as above',
}

let packages: BuiltPackages
beforeAll(async () => {
  packages = await buildPackages()
  const source = await readFile(join(import.meta.dirname, 'suite-client.ts'), 'utf8')
  await writeFile(join(packages.folder, 'suite-client.mjs'), stripTypeScriptTypes(source))
})
afterAll(() => packages[Symbol.asyncDispose]())

async function runSuite(
  args: readonly string[],
  cwd: string,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, ['--no-warnings', suite, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => void child.once('close', resolve))
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, output: output + errors }
}

/** The scenarios for clients, with the versions that have them. */
async function listScenarios(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { output } = await runSuite(['list', '--client'], root)
  return new Map(
    Array.from(output.matchAll(/^\s+- (\S+) \[([^\]]*)\]$/gm), ([, name = '', of = '']) => [
      name,
      of.split(','),
    ]),
  )
}

const scenarios = await listScenarios()

it('knows of every scenario whether it is run', () => {
  expect(scenarios.size).toBeGreaterThan(40)
  const unknown = Object.keys(outOfScope).filter((name) => !scenarios.has(name))
  expect(unknown).toEqual([])
})

for (const [name, of] of scenarios) {
  if (name in outOfScope) continue
  const version = versions.find((each) => of.includes(each))
  it.concurrent(`MCP suite: ${name}`, { timeout: 300_000 }, async () => {
    const at = version === undefined ? [] : ['--spec-version', version] // an extension has none
    const args = ['client', '--scenario', name, ...at, '--timeout', '200000', '--command', client]
    const { code, output } = await runSuite(args, packages.folder)
    expect(code, output.slice(-4000)).toBe(0)
    expect(output).toContain('OVERALL: PASSED')
  })
}
