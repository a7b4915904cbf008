import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import type { BuiltPackages } from '../built-packages.ts'
import { type ChildEnd, collectOutput } from './child-output.ts'
import type { CodeBlock } from './code-blocks.ts'

/**
 * Environment variables that blocks may read. Nothing of our own environment is passed on but the search path, and where
 * compiled code is kept.
 */
export type BlockEnvironment = Readonly<Record<string, string>>

/**
 * Runs a TypeScript block as a module, in a folder of its own that sees the built packages. A block that
 * runs until it is stopped is stopped once it printed something; when that holds an address, a device cloud or, in a
 * block that mounts one, an agent platform has to answer there first.
 */
export async function runBlock(
  { code, mode }: CodeBlock,
  packages: BuiltPackages,
  environment: BlockEnvironment,
  signal: AbortSignal,
): Promise<ChildEnd> {
  const folder = await mkdtemp(join(packages.folder, 'block-'))
  let child: ChildProcess | undefined
  try {
    child = spawn(process.execPath, ['--input-type=module', '-'], {
      cwd: folder,
      env: {
        ...environment,
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      },
      signal,
      stdio: 'pipe',
    })
    const output = collectOutput(child)
    // here, so that the process of each block need not load what takes types away
    child.stdin?.end(stripTypeScriptTypes(code))
    if (mode === 'until-stopped') {
      const url = (await output.waitFor(/(http:\/\/\S+?)?\n/))?.[1]
      if (url) await expectAnswer(url, code.includes('createAgentPlatformHandler(') ? 'agents' : 'devices')
      child.kill('SIGTERM')
    }
    return await output.ended
  } finally {
    child?.kill('SIGKILL') // does nothing to a child that ended
    await rm(folder, { recursive: true, force: true })
  }
}

/** What is mounted answers with its list, or asks for a session or a token. */
async function expectAnswer(url: string, list: 'agents' | 'devices'): Promise<void> {
  const answer = await fetch(new URL(`/api/${list}`, url))
  const text = await answer.text()
  const isExpected = new RegExp(`"${list}"|"Unauthorized"`).test(text)
  if (![200, 401].includes(answer.status) || !isExpected) {
    throw new Error(`The block's server answered ${answer.status} instead of its list of ${list}: ${text}`)
  }
}
