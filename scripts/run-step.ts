import { spawn } from 'node:child_process'
import { workspaceFolder } from './workspace-packages.ts'

/** Runs a program of the workspace in its top folder, its output on ours, and gives its exit code. */
export function runStep(command: string, args: readonly string[], folder = workspaceFolder): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] })
    child.once('error', (cause) => reject(new Error(`Could not run ${command}: run this by npm.`, { cause })))
    child.once('close', (code) => resolve(code ?? 1)) // killed by a signal: there is no code
  })
}
