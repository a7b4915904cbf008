import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, parse, resolve } from 'node:path'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'

/**
 * Turns the values of `--root` into absolute paths. Nothing is added: a device opens the folders that were named, and no more.
 *
 * A whole disk or a home folder has to be named by its full path, so that `--root .`, an empty variable or a link does not open one
 * by accident.
 *
 * @throws {CliError} wrong use.
 */
export function checkRoots(attempt: string, roots: readonly string[] | undefined): readonly string[] {
  if (roots === undefined || roots.length === 0) {
    const fix = 'Name each folder that may be searched: --root "$HOME/Documents".'
    throw new CliError(`${attempt} failed: "--root" is missing. ${fix}`, exitCodes.usage)
  }
  return [...new Set(roots.map((root) => checkRoot(attempt, root)))]
}

function checkRoot(attempt: string, given: string): string {
  const fail = (problem: string) => new CliError(`${attempt} failed: ${problem}`, exitCodes.usage)
  if (given.trim() === '') throw fail('"--root" is empty. Pass a folder.')
  if (/\p{Cc}/u.test(given)) {
    throw fail(
      '"--root" contains a control character, such as a line break. Rename the folder, or link to it.',
    )
  }
  const root = resolve(given)
  const real = realPath(root)
  const whole = [root, real].find(isWhole)
  const isNamed = [whole, whole === undefined ? undefined : withSlash(whole)].includes(given)
  if (whole === undefined || isNamed) return root
  throw fail(
    `"${given}" is ${whole}, a whole disk or home folder. If you mean all of it, name it: --root "${whole}".`,
  )
}

/** A disk, or the home folder of anybody. */
function isWhole(path: string): boolean {
  const homes = ['/home', '/Users', dirname(homedir())]
  return (
    path === parse(path).root ||
    path === homedir() ||
    path === '/root' ||
    homes.includes(path) ||
    homes.some((folder) => folder !== parse(folder).root && dirname(path) === folder)
  )
}

const withSlash = (path: string) => (/[/\\]$/.test(path) ? path : `${path}/`)

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // a disk that is mounted later
  }
}
