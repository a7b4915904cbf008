import { release } from 'node:os'
import { dieWithParent } from './die-with-parent.ts'
import type { ProcessOutcome } from './run-process.ts'
import type { Sandbox } from './sandbox.ts'
import { canRunCommand } from './can-run-command.ts'

/** Limits for the programs of skills, if the system can enforce them. */
export interface ExecLimits {
  /** Maximum writable memory of each process, in bytes. @default 4 GiB */
  readonly memoryBytes?: number
  /** Maximum size of a written file, in bytes. @default 1 GiB */
  readonly fileBytes?: number
  /** Maximum number of processes and threads of one call, in a sandbox. @default 512 */
  readonly processes?: number
}

const gibibyte = 1024 ** 3
const notStarted = 'prlimit: failed to execute'

/**
 * Finds the command that starts programs with limits: `prlimit`, which Linux systems have. What works is tried out,
 * inside the sandbox if there is one. Without one, a program whose time nobody keeps any more is ended as well.
 *
 * @param path Search path for programs.
 * @returns arguments to put before the program's own; none where nothing can be limited.
 */
export async function detectLimits(
  sandbox: Sandbox | undefined,
  path: string,
  limits: ExecLimits = {},
  platform: NodeJS.Platform = process.platform,
): Promise<readonly string[]> {
  if (platform !== 'linux') return []
  const { memoryBytes = 4 * gibibyte, fileBytes = gibibyte, processes = 512 } = limits
  const each = [
    'prlimit',
    '--core=0:0',
    `--data=${memoryBytes}:${memoryBytes}`,
    `--fsize=${fileBytes}:${fileBytes}`,
  ]
  const all = [...each, `--nproc=${processes}:${processes}`]
  if (sandbox !== undefined && countsByNamespace(release()) && (await works(all, sandbox, path)))
    return [...all, '--']
  // a sandbox ends with us by itself
  if (sandbox === undefined && (await works([...dieWithParent, ...each], sandbox, path)))
    return [...dieWithParent, ...each, '--']
  return (await works(each, sandbox, path)) ? [...each, '--'] : []
}

/** Whether the limits' own command says that the program could not be found. */
export function isNotInstalled(limits: readonly string[], { exitCode, stderr }: ProcessOutcome): boolean {
  return limits.length > 0 && exitCode === 127 && stderr.text(notStarted.length).text === notStarted
}

/** From 5.14 on a namespace counts its own processes; before, all of the user's would count. */
function countsByNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 14)
}

/** Also with a pipe: what counts processes has to leave room for those that a shell starts. */
const works = (limits: readonly string[], sandbox: Sandbox | undefined, path: string) =>
  canRunCommand([...limits, '--', 'sh', '-c', 'true | true'], sandbox, path)
