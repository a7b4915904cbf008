import type { ProcessFamily } from './process-table.ts'

const maxRounds = 20

/** Ends a process group and everything that came from it. New processes may appear while the old ones end. */
export async function endProcesses(pid: number, family: ProcessFamily): Promise<void> {
  signalGroup(pid, 'SIGKILL')
  for (let round = 0; round < maxRounds; round += 1) {
    const living = await family.living()
    if (living.length === 0) return
    for (const row of living) signalProcess(row.pid, 'SIGKILL')
  }
}

/** Sends a signal to all processes of a group, as far as they still run. */
export function signalGroup(pid: number, name: NodeJS.Signals): void {
  // Windows has no groups
  signalProcess(process.platform === 'win32' ? pid : -pid, name)
}

/** Sends a signal to a process, when it still runs. */
export function signalProcess(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // it has ended
  }
}
