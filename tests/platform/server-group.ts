import { createHome, startServer, type ServerProcess } from '../server/server-process.ts'
import { createPlatformClient, type PlatformAnswer } from './platform-client.ts'

/** Several servers that share one database. */
export interface ServerGroup extends AsyncDisposable {
  readonly servers: readonly ServerProcess[]
  /** Sends to one after the other until one answers with 2xx: what a load balancer does while servers die. */
  send(method: string, path: string, body?: unknown, headers?: HeadersInit): Promise<PlatformAnswer['body']>
  /** Kills a server with `-9` and starts it again over its data home. */
  kill(index: number): Promise<void>
}

/** Starts so many, each over a data home of its own, which `prepare` gets to see first. */
export async function startServerGroup(
  count: number,
  environment: Readonly<Record<string, string>>,
  prepare: (home: string) => Promise<void>,
): Promise<ServerGroup> {
  const stack = new AsyncDisposableStack()
  const homes = await Promise.all(Array.from({ length: count }, () => createHome()))
  for (const home of homes) {
    stack.use(home)
    await prepare(home.path)
  }
  const start = (index: number) => startServer(homes[index]?.path ?? '', environment)
  const servers = await Promise.all(homes.map((_, index) => start(index)))
  stack.defer(async () => void (await Promise.all(servers.map((server) => server.end('SIGKILL')))))
  let next = 0

  return {
    servers,
    async send(method, path, body, headers) {
      let last: unknown
      for (let tries = 0; tries < 300; tries += 1) {
        const server = servers[(next += 1) % count]
        if (server === undefined) continue
        try {
          const answer = await createPlatformClient(server.agentsUrl).send(method, path, body, headers)
          if (answer.status < 300) return answer.body
          last = answer.text
          if (answer.status < 500 && answer.status !== 429) break
        } catch (error) {
          last = error
        }
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      throw new Error(`${method} ${path}: no server could do it`, { cause: last })
    },
    async kill(index) {
      await servers[index]?.end('SIGKILL')
      servers[index] = await start(index)
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
