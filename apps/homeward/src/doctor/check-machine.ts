import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { describeSandbox } from '@homeward/agent-runtime'
import { error, warning, type Checked, type Finding } from './finding.ts'

const megabyte = 1024 * 1024
/** Below it nothing can be relied on. */
const fullBytes = 100 * megabyte
/** Below it somebody should make room. */
const lowBytes = 1024 * megabyte
/** Clocks of file systems and of people's machines differ by some minutes. */
const clockToleranceMs = 5 * 60_000

/** The Node that runs this. @param node such as `24.1.0` */
export function checkNode(node: string, version: string): Checked {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const isOld = major < 22 || (major === 22 && minor < 18)
  const findings = isOld ? [error(`Node ${node} is too old.`, 'Install Node 22.18 or newer.')] : []
  return { name: 'Version', about: `homeward ${version} on Node ${node}`, findings }
}

/** Room for the data home, which may not exist yet. */
export async function checkDisk(home: string, readFreeBytes: typeof freeBytes = freeBytes): Promise<Checked> {
  const free = await readFreeBytes(home)
  const left = `${Math.round(free / megabyte)} MB are free on the disk of ${home}.`
  const fix = 'Delete what is not needed, or move the data home with HOMEWARD_HOME.'
  const findings: Finding[] =
    free < fullBytes ? [error(`Only ${left}`, fix)] : free < lowBytes ? [warning(`Only ${left}`, fix)] : []
  return { name: 'Disk', about: left, findings }
}

async function freeBytes(home: string): Promise<number> {
  const found = await statfs(home).catch(() => statfs('/'))
  return found.bavail * found.bsize
}

/** Whether the clock stands before what was written already: sessions and schedules would wait until it is right. */
export async function checkClock(home: string, now: number): Promise<Checked> {
  const names = (await readdir(home).catch(() => [])).filter((name) => /\.db(?:-wal)?$/.test(name))
  const times = await Promise.all(names.map(async (name) => (await stat(join(home, name))).mtimeMs))
  const newest = Math.max(0, ...times)
  const isBehind = newest - now > clockToleranceMs
  const problem = `The clock says ${new Date(now).toISOString()}, and the data was written later: ${new Date(newest).toISOString()}.`
  const fix = 'Set the clock, for example by NTP ("timedatectl set-ntp true").'
  return {
    name: 'Clock',
    about: new Date(now).toISOString(),
    findings: isBehind ? [error(problem, fix)] : [],
  }
}

/** What programs of skills run in. */
export async function checkSandbox(path: string): Promise<Checked> {
  const { kind, reason } = await describeSandbox(path)
  const problem = `Programs of skills run without a sandbox: ${reason}.`
  const fix =
    'Install the package "bubblewrap" and allow user namespaces; in a container, see the guide "Deploy". Or install no skills that run programs.'
  return { name: 'Sandbox', about: kind, findings: kind === 'none' ? [warning(problem, fix)] : [] }
}
