import { expect } from 'vitest'
import { createRawClient, type RawClient } from '../wire/raw-client.ts'
import { createHome, startServer, uploadedFiles, type ServerProcess } from './server-process.ts'

/** A reference server with a data folder of its own, for all tests of a file. */
export interface RunningServer extends AsyncDisposable {
  readonly server: ServerProcess
  readonly client: RawClient
  readonly home: string
  /** Everything that can be seen of what the server keeps. */
  state(): Promise<unknown>
  /** Runs `act` and checks that the server keeps exactly what it kept before. */
  unchangedBy<T>(act: () => Promise<T>): Promise<T>
}

/** Starts one. */
export async function runServer(): Promise<RunningServer> {
  const home = await createHome()
  const server = await startServer(home.path)
  const client = createRawClient({ baseUrl: server.url, fetch: (input, init) => fetch(input, init) })

  async function state(): Promise<unknown> {
    const lists = ['/api/devices', '/api/devices/search/query', '/api/devices/files/upload-requests']
    const bodies: unknown[] = []
    for (const path of lists) bodies.push((await client.get(`${path}?limit=500`)).json)
    return { bodies, files: await uploadedFiles(home.path) }
  }

  return {
    server,
    client,
    home: home.path,
    state,
    async unchangedBy(act) {
      const before = await state()
      const result = await act()
      expect(await state()).toEqual(before)
      return result
    },
    async [Symbol.asyncDispose]() {
      const { code } = await server.end('SIGTERM')
      await home[Symbol.asyncDispose]()
      expect(code).toBe(0)
      // What a caller did wrong is no failure of the server.
      expect(server.output()).not.toMatch(/^cloud:/m)
    },
  }
}
