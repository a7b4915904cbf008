import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { makeOnDemand } from '../on-demand.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Port that answers every connection with the address of a Postgres server for tests. */
    postgresPort: number
  }
}

/**
 * One Postgres server for all test files, started when the first of them asks for it: those who run other tests do not
 * wait for it. It ends with the tests, also when they are killed.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let child: ChildProcess | undefined
  const { port, close } = await makeOnDemand(() => {
    child = spawn(process.execPath, [fileURLToPath(new URL('run-server.ts', import.meta.url))], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    return firstLine(child)
  })
  project.provide('postgresPort', port)

  return async () => {
    close()
    if (child === undefined || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.stdin?.end()
    await ended
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) return 'failed: it has no output.'
  for await (const line of createInterface(child.stdout)) return line
  return 'failed: it ended without a word.'
}
