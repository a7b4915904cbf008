import type { ChildProcessByStdio } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { makeOnDemand } from '../on-demand.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Port that answers every connection with the address of a Postgres server for tests. */
    postgresPort: number
  }
}

/** Starts a Postgres server, which ends with this process, also when it is killed. */
export function startServer() {
  const child = spawn(process.execPath, [fileURLToPath(new URL('run-server.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  return {
    /** Its address, or a line that begins with "failed". */
    line: firstLine(child),
    async stop() {
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}

/**
 * One Postgres server for all test files, started when the first of them asks for it: those who run other tests do not
 * wait for it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: ReturnType<typeof startServer> | undefined
  const { port, close } = await makeOnDemand(() => {
    server = startServer()
    return server.line
  })
  project.provide('postgresPort', port)

  return async () => {
    close()
    await server?.stop()
  }
}

async function firstLine({ stdout }: ChildProcessByStdio<Writable, Readable, null>): Promise<string> {
  for await (const line of createInterface(stdout)) return line
  return 'failed: it ended without a word.'
}
