import { afterAll, beforeAll, expect } from 'vitest'
import { createPlatformClient, type PlatformClient } from '../platform/platform-client.ts'
import { createHome, startServer, type ServerProcess } from './server-process.ts'

/** A server for all cases of a file or of a `describe`. */
interface SharedServer {
  /** Its data home. */
  readonly home: string
  readonly server: ServerProcess
  readonly client: PlatformClient
}

/** How to start a shared server. */
interface SharedServerOptions {
  /** More variables. */
  readonly environment?: Readonly<Record<string, string>>
  /** Waits for more than that it listens. */
  readonly whenUp?: (server: ServerProcess) => Promise<void>
  /** What the cases make it fail at. */
  readonly meantFailure?: RegExp
}

/**
 * Starts a server before the first case and ends it behind the last one, where it must have failed at nothing else than
 * was meant: what a caller did wrong is no failure of the server.
 */
export function shareServer({ environment, whenUp, meantFailure }: SharedServerOptions = {}): SharedServer {
  let home: Awaited<ReturnType<typeof createHome>>
  let server: ServerProcess
  let client: PlatformClient
  beforeAll(async () => {
    home = await createHome()
    server = await startServer(home.path, environment)
    client = createPlatformClient(server.agentsUrl)
    await whenUp?.(server)
  })
  afterAll(async () => {
    const { code } = await server.end('SIGTERM')
    await home[Symbol.asyncDispose]()
    expect(code, server.output()).toBe(0)
    const failures = server.output().match(/^(?:cloud|agents):.*$/gm) ?? []
    expect(failures.filter((line) => meantFailure?.test(line) !== true)).toEqual([])
  })
  return {
    get home() {
      return home.path
    },
    get server() {
      return server
    },
    get client() {
      return client
    },
  }
}
