import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { judge } from '../../packages/conformance/src/judge.ts'
import type { CaseResult } from '../../packages/conformance/src/conformance-case.ts'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

/** Path of an example of a device. */
export const exampleFile = (path: string): string => join(workspaceFolder, 'examples/devices', path)

/** Whether a program is installed here. */
export function hasProgram(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs `homeward-conformance` in this process with short intervals; gives its exit code and its results. */
export async function runConformance(
  args: readonly string[],
): Promise<{ readonly code: number; readonly results: readonly CaseResult[] }> {
  let written = ''
  const code = await judge([...args.slice(0, 1), '--format', 'json', ...args.slice(1)], {
    environment: {},
    write: (text) => void (written += text),
    tell: () => {},
  })
  const { results } = JSON.parse(written) as { readonly results: readonly CaseResult[] }
  return { code, results }
}

/** Whether a case cannot be tried here: the administrator may read every folder. */
export const needsOtherUser = (id: string) => id === 'unread-folder' && process.getuid?.() === 0

/** Judges a device agent with short intervals; gives the cases that did not pass, with what was seen. */
export async function failuresOf(level: string, command: readonly string[]): Promise<readonly CaseResult[]> {
  const pace = ['--interval', '0.3', '--patience', '60', '--jobs', '6']
  const { results } = await runConformance(['device', '--level', level, ...pace, '--', ...command])
  return results.filter(
    ({ id, outcome }) => outcome !== 'passed' && !(outcome === 'skipped' && needsOtherUser(id)),
  )
}
