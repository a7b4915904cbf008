import { execFile } from 'node:child_process'
import { chmod, chown, copyFile, lstat, mkdir, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { sleep } from '@homeward/kit'
import { replaceFile } from '@homeward/kit/node'
import { CliError } from '../../cli-error.ts'
import type { ServiceStep } from './service-step.ts'

const execute = promisify(execFile)
const commandTimeoutMs = 60_000
const defaultPauseMs = 1000
const maxLooks = 20

/** Does the steps on this machine, one after the other. @throws {CliError} that names the step that failed. */
export async function runSteps(
  attempt: string,
  steps: readonly ServiceStep[],
  report: (line: string) => void,
  pauseMs = defaultPauseMs,
): Promise<void> {
  for (const step of steps) {
    report(describeStep(step))
    try {
      await runStep(step, pauseMs)
    } catch (cause) {
      if (step.do === 'run' && step.mayFail) continue
      throw new CliError(`${attempt} failed at "${describeStep(step)}": ${reasonOf(cause)}`, undefined, {
        cause,
      })
    }
  }
}

async function runStep(step: ServiceStep, pauseMs: number): Promise<void> {
  if (step.do === 'run') await runCommand(step, pauseMs)
  else if (step.do === 'wait') await waitForEnd(step.command, pauseMs)
  else if (step.do === 'own') await own(step.path, await idsOf(step.user))
  else if (step.do === 'remove') await rm(step.path, { recursive: true, force: true })
  else await placeFile(step, step.path)
}

const run = ([program, ...rest]: readonly [string, ...string[]]) =>
  execute(program, rest, { timeout: commandTimeoutMs, windowsHide: true })

async function runCommand(
  { command, orElse, tries = 1 }: Extract<ServiceStep, { readonly do: 'run' }>,
  pauseMs: number,
): Promise<void> {
  for (let left = tries - 1; ; left -= 1) {
    try {
      await run(command)
      return
    } catch (error) {
      if (left <= 0) {
        if (orElse !== undefined && (await succeeds(orElse))) return
        throw error
      }
      await sleep(pauseMs)
    }
  }
}

/** Looks until a command fails. After the last look it gives up: the next step says what is wrong. */
async function waitForEnd(command: readonly [string, ...string[]], pauseMs: number): Promise<void> {
  for (let left = maxLooks; left > 0 && (await succeeds(command)); left -= 1) await sleep(pauseMs)
}

const succeeds = (command: readonly [string, ...string[]]): Promise<boolean> =>
  run(command).then(
    () => true,
    () => false,
  )

/** Puts the files into another folder, which stands for the root of a disk. Nothing is run. */
export async function stageSteps(rootFolder: string, steps: readonly ServiceStep[]): Promise<void> {
  for (const step of steps) {
    if (step.do === 'run' || step.do === 'wait' || step.do === 'own') continue
    const path = stagedPath(rootFolder, step.path)
    if (step.do === 'remove') {
      await rm(path, { recursive: true, force: true })
      await removeEmptyFolders(dirname(path), rootFolder)
    } else await placeFile(step, path)
  }
}

/** Where a path of a machine is below a folder that stands for its disk. */
export const stagedPath = (rootFolder: string, path: string): string =>
  join(rootFolder, path.replace(/^([a-z]):/i, '$1').replaceAll('\\', '/'))

async function removeEmptyFolders(folder: string, end: string): Promise<void> {
  if (!folder.startsWith(end) || folder.length <= end.length) return
  try {
    await rmdir(folder)
  } catch {
    return // not empty, or not there
  }
  await removeEmptyFolders(dirname(folder), end)
}

async function placeFile(
  step: Extract<ServiceStep, { readonly do: 'write' | 'copy' }>,
  path: string,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  if (step.do === 'copy') {
    // a program that runs cannot be written to, but can be replaced
    await rm(path, { force: true })
    await copyFile(step.from, path)
    await chmod(path, step.mode)
    return
  }
  if (step.encoding === undefined) return replaceFile(path, step.content, { mode: step.mode })
  await writeFile(path, Buffer.from(`\ufeff${step.content}`, step.encoding), { mode: step.mode })
}

async function idsOf(user: string): Promise<readonly [number, number]> {
  const ids = await Promise.all(['-u', '-g'].map((option) => execute('id', [option, user])))
  const [uid = Number.NaN, gid = Number.NaN] = ids.map(({ stdout }) => Number(stdout.trim()))
  return [uid, gid]
}

/** Links are not followed. */
async function own(path: string, [uid, gid]: readonly [number, number]): Promise<void> {
  await chown(path, uid, gid)
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const below = join(path, entry.name)
    if (entry.isDirectory()) await own(below, [uid, gid])
    else if ((await lstat(below)).isFile()) await chown(below, uid, gid)
  }
}

/** One line that says what a step does. */
export function describeStep(step: ServiceStep): string {
  if (step.do === 'run') return `run ${step.command.map(quote).join(' ')}`
  if (step.do === 'wait') return `wait until ${step.command.map(quote).join(' ')} fails`
  if (step.do === 'copy') return `copy ${step.from} to ${step.path}`
  if (step.do === 'own') return `give ${step.path} to the user ${step.user}`
  return `${step.do} ${step.path}`
}

/** Shows one argument so that a shell would read it as one. */
const quote = (text: string) =>
  /^[\w./:@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`

function reasonOf(cause: unknown): string {
  const { code, stderr, message } = cause as NodeJS.ErrnoException & { readonly stderr?: string }
  if (code === 'ENOENT') return 'a program or folder is missing.'
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied. Run the command with sudo.'
  return stderr?.trim().replaceAll(/\s*\n\s*/g, ' ') || message
}
