import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { buildInChild } from './build-in-child.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-build-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function program(text: string): Promise<string> {
  const path = join(folder, 'build.mjs')
  await writeFile(path, text)
  return path
}

it('resolves once the build has ended well', async () => {
  await expect(
    buildInChild(new AbortController().signal, await program('console.log("built")')),
  ).resolves.toBeUndefined()
})

it('fails with what the build said, without colours and cut to what tells', async () => {
  const text =
    'console.error("x".repeat(9000) + "\\u001b[31mno such module\\u001b[39m"); process.exitCode = 3'
  const error = await buildInChild(new AbortController().signal, await program(text)).catch(
    (cause: unknown) => cause,
  )
  expect(String(error)).toMatch(/^Error: Building the dashboard failed \(exit code 3\):\nx+no such module$/)
  expect(String(error).length).toBeLessThan(4200)
})

it('gives the build no key of the environment', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'sk-secret')
  const path = await program('if (process.env.OPENAI_API_KEY !== undefined) process.exitCode = 1')
  await expect(buildInChild(new AbortController().signal, path)).resolves.toBeUndefined()
  vi.unstubAllEnvs()
})

it('ends a build that is no longer wanted', async () => {
  const over = new AbortController()
  const building = buildInChild(over.signal, await program('setInterval(() => {}, 1000)'))
  over.abort()
  await expect(building).rejects.toThrow(/abort/i)
})
