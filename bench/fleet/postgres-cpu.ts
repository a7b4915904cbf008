import { readdir, readFile } from 'node:fs/promises'
import { Client } from 'pg'

/** The kernel counts in hundredths of a second. */
const ticksPerSecond = 100

/** CPU time of a Postgres server on this machine with all its processes, in microseconds; undefined where Linux does not tell. */
export async function readPostgresCpu(connectionString: string): Promise<number | undefined> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const server = (await readStat(rows[0]?.pid ?? 0))?.parent
    if (server === undefined) return undefined
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
    let ticks = 0
    for (const pid of pids) {
      const stat = await readStat(pid)
      if (pid === server) ticks += (stat?.own ?? 0) + (stat?.ended ?? 0)
      else if (stat?.parent === server) ticks += stat.own
    }
    return (ticks / ticksPerSecond) * 1e6
  } finally {
    await client.end()
  }
}

async function readStat(pid: number): Promise<{ parent: number; own: number; ended: number } | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  // Behind the name, which may hold anything: state, parent, and further on the times.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [, parent = 0] = fields
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
  return { parent, own: user + system, ended: endedUser + endedSystem }
}
