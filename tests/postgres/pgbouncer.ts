import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/** The minor version of PgBouncer 1; undefined where the program is missing. */
export function pgBouncerVersion(): number | undefined {
  const { stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8', env: environment })
  const version = /PgBouncer 1\.(\d+)/.exec(stdout ?? '')?.[1]
  return version === undefined ? undefined : Number(version)
}

// where Debian puts it, which is not on the path of every user
const environment = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` }

/** Starts PgBouncer in front of a server; with settings of its own it rejects parameters at the start of a connection. */
export async function startPgBouncer(connectionString: string, mode: 'session' | 'transaction') {
  const { hostname, port, username, password } = new URL(connectionString)
  const folder = await mkdtemp(join(tmpdir(), 'homeward-pgbouncer-'))
  const own = await freePort()
  const users = join(folder, 'users.txt')
  await writeFile(users, `"${username}" "${password}"\n`)
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${port}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1\nlisten_port = ${own}\nunix_socket_dir =`,
    `auth_type = plain\nauth_file = ${users}\npool_mode = ${mode}\ndefault_pool_size = 40`,
    ...(mode === 'transaction' ? ['max_prepared_statements = 500'] : []),
  ]
  await writeFile(join(folder, 'pgbouncer.ini'), settings.join('\n'))
  await chmod(folder, 0o755)
  // It refuses to run as root.
  const user = userInfo().uid === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', ['-q', ...user, join(folder, 'pgbouncer.ini')], {
    stdio: 'ignore',
    env: environment,
  })
  await untilItListens(child, own)
  return {
    connectionString: Object.assign(new URL(connectionString), { port: String(own) }).href,
    async [Symbol.asyncDispose]() {
      const ended = child.exitCode === null ? once(child, 'exit') : undefined
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  server.close()
  await once(server, 'close')
  return port
}

async function untilItListens(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null)
      throw new Error(`Starting PgBouncer failed: it ended with ${child.exitCode}.`)
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20))
    } finally {
      socket.destroy()
    }
  }
}
